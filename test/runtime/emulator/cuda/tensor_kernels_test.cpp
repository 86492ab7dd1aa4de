// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA C++ for tensor cores, compiled by nvcc 13: wgmma by inline PTX, attention with roles.
#include "test/runtime/emulator/cuda/cuda_test.h"

using namespace tegula::emulator::test;

namespace {

struct WgmmaGemm : Compiled {
  WgmmaGemm() : Compiled("wgmma_gemm", {"_o3.ptx"}) {}
};
struct Attention : Compiled {
  Attention() : Compiled("attention", {"_o3.ptx"}) {}
};

CUtensorMap rows_of_64(CUdeviceptr base, uint64_t rows) {
  CUtensorMap m;
  uint64_t dims[] = {64, rows}, strides[] = {128};
  uint32_t box[] = {64, 64}, steps[] = {1, 1};
  REQUIRE(cuTensorMapEncodeTiled(&m, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, reinterpret_cast<void *>(base), dims, strides,
                                 box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                 CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
  return m;
}

/// One row of attention in double: the output's 64 values and the log of the sum.
std::pair<std::vector<double>, double> attend(const float *q, const float *k, const float *v, int keys, double scale) {
  std::vector<double> p(static_cast<size_t>(keys)), out(64);
  double most = -INFINITY, sum = 0;
  for (int j = 0; j < keys; ++j) {
    for (int d = 0; d < 64; ++d)
      p[j] += double(q[d]) * k[j * 64 + d] * scale;
    most = std::max(most, p[j]);
  }
  for (double &x : p)
    sum += x = std::exp(x - most);
  for (int j = 0; j < keys; ++j)
    for (int d = 0; d < 64; ++d)
      out[d] += p[j] / sum * v[j * 64 + d];
  return {out, most + std::log(sum)};
}

struct Wmma : Compiled {
  Wmma() : Compiled("wmma") {}
};

uint16_t half(float v) { // exact for the small multiples of 1/16 used here
  uint32_t b;
  std::memcpy(&b, &v, 4);
  return (b & 0x7fffffff) == 0
             ? static_cast<uint16_t>(b >> 16)
             : static_cast<uint16_t>((b >> 16 & 0x8000) | (((b >> 13 & 0x3ffff) - (112 << 10)) & 0x7fff));
}
std::vector<uint16_t> half(const std::vector<float> &v) {
  std::vector<uint16_t> out;
  for (float x : v)
    out.push_back(half(x));
  return out;
}
template <class T> std::vector<T> cast(const std::vector<float> &v) {
  std::vector<T> out;
  for (float x : v)
    out.push_back(static_cast<T>(x));
  return out;
}

struct Shape {
  int m, n;
};

/// 2 A B of 2 by 2 tiles and k = 48; the operands' order is the letters of `layout` (r: rows, c: columns).
template <class Storage, class Acc, class Convert>
void product(Wmma &w, const std::string &kernel, Shape tile, const std::string &layout, Convert convert, float scale) {
  const int m = 2 * tile.m, n = 2 * tile.n, k = 48;
  auto a = numbers(m * k, 3, scale), b = numbers(k * n, 4, scale);
  for (float &x : a)
    x = std::is_unsigned_v<Storage> && sizeof(Storage) == 1 ? std::abs(x) : x;
  for (float &x : b)
    x = std::is_unsigned_v<Storage> && sizeof(Storage) == 1 ? std::abs(x) : x;
  auto da = w.upload(convert(a)), db = w.upload(convert(b)), dd = w.allocate(m * n * sizeof(Acc));
  REQUIRE(w.run(kernel, {2, 2}, {32}, da, db, dd, n, k) == CUDA_SUCCESS);
  auto got = w.download<Acc>(dd, m * n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0; // exact
      for (int x = 0; x < k; ++x)
        sum += (layout[0] == 'r' ? a[i * k + x] : a[x * m + i]) * (layout[1] == 'r' ? b[x * n + j] : b[j * k + x]);
      if constexpr (std::is_same_v<Acc, uint16_t>)
        REQUIRE(got[i * n + j] == half(2 * sum));
      else
        REQUIRE(got[i * n + j] == static_cast<Acc>(2 * sum));
    }
}

constexpr auto kHalf = [](const std::vector<float> &v) { return half(v); };
constexpr auto kBfloat = [](const std::vector<float> &v) { return to_bf16(v); };
template <class T> constexpr auto kPlain = [](const std::vector<float> &v) { return cast<T>(v); };

} // namespace

TEST_CASE_METHOD(WgmmaGemm, "wgmma on buffers that cp.async filled, B by rows and by columns") {
  bool nn = GENERATE(false, true);
  const int m = 128, n = 192, k = 192;
  auto a = numbers(m * k, 1), b = numbers(n * k, 2);
  auto da = upload(to_bf16(a)), db = upload(to_bf16(b)), dc = allocate(m * n * 4);
  REQUIRE(run(nn ? "gemm_nn" : "gemm_tn", {n / 64, m / 64}, {128}, da, db, dc, n, k) == CUDA_SUCCESS);
  auto got = download<float>(dc, m * n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0; // exact: 8-bit products
      for (int x = 0; x < k; ++x)
        sum += a[i * k + x] * (nn ? b[x * n + j] : b[j * k + x]);
      REQUIRE(got[i * n + j] == sum);
    }
}

TEST_CASE_METHOD(Attention, "attention with a producer warp, P in registers, causal and not") {
  int causal = GENERATE(0, 1);
  const int heads = 2, queries = 128, keys = causal ? 168 : 200;
  auto q = numbers(heads * queries * 64, 1), k = numbers(heads * keys * 64, 2), v = numbers(heads * keys * 64, 3);
  auto dq = upload(to_bf16(q)), dk = upload(to_bf16(k)), dv = upload(to_bf16(v)),
       out = allocate(heads * queries * 64 * 2), lse = allocate(heads * queries * 4);
  float scale = 0.25f * 1.44269504f;
  REQUIRE(run("attention", {queries / 64, heads}, {160}, 5 * 8192u + 1024 + 64, Dim{}, rows_of_64(dq, heads * queries),
              rows_of_64(dk, heads * keys), rows_of_64(dv, heads * keys), out, lse, queries, keys, scale,
              causal) == CUDA_SUCCESS);
  auto got = download<uint16_t>(out, heads * queries * 64);
  auto logs = download<float>(lse, heads * queries);
  for (int h = 0; h < heads; ++h)
    for (int i = 0; i < queries; i += 5) {
      int seen = causal ? i + 1 + keys - queries : keys, row = h * queries + i;
      auto [want, log] = attend(&q[row * 64], &k[h * keys * 64], &v[h * keys * 64], seen, 0.25);
      REQUIRE(logs[row] == Approx(log).epsilon(1e-4).margin(1e-4));
      for (int d = 0; d < 64; ++d)
        REQUIRE(from_bf16(got[row * 64 + d]) == Approx(want[d]).epsilon(0.02).margin(0.01));
    }
}

TEST_CASE_METHOD(Wmma, "mma.h multiplies halves of all layouts and shapes") {
  product<uint16_t, float>(*this, "half_float_rr", {16, 16}, "rr", kHalf, 1.0f / 16);
  product<uint16_t, float>(*this, "half_float_cr", {16, 16}, "cr", kHalf, 1.0f / 16);
  product<uint16_t, uint16_t>(*this, "half_half_rc", {16, 16}, "rc", kHalf, 1.0f / 4);
  product<uint16_t, float>(*this, "half_float_tall", {32, 8}, "rc", kHalf, 1.0f / 16);
  product<uint16_t, float>(*this, "half_float_wide", {8, 32}, "cc", kHalf, 1.0f / 16);
}
TEST_CASE_METHOD(Wmma, "mma.h multiplies bf16 and tf32") {
  product<uint16_t, float>(*this, "bfloat", {16, 16}, "rc", kBfloat, 1.0f / 16);
  product<float, float>(*this, "tf32", {16, 16}, "rc", kPlain<float>, 1.0f / 16);
}
TEST_CASE_METHOD(Wmma, "mma.h multiplies bytes into s32") {
  product<signed char, int>(*this, "signed_bytes", {16, 16}, "rc", kPlain<signed char>, 7);
  product<unsigned char, int>(*this, "unsigned_bytes", {32, 8}, "rr", kPlain<unsigned char>, 15);
}
TEST_CASE_METHOD(Wmma, "mma.h multiplies doubles") {
  product<double, double>(*this, "doubles", {8, 8}, "rc", kPlain<double>, 1.0f / 16);
}
