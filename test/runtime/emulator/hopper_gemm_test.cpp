// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A warp-specialised Hopper GEMM as nvcc compiles it: the whole asynchronous machine at work, and with one fence left
// out, found.
#include "test/runtime/emulator/emulated.h"

#include <catch2/catch.hpp>

#include <chrono>

using namespace tegula::emulator::test;

namespace {

uint16_t bf16(float v) {
  uint32_t b;
  std::memcpy(&b, &v, 4);
  return static_cast<uint16_t>((b + 0x7fff + (b >> 16 & 1)) >> 16);
}
float from_bf16(uint16_t v) {
  uint32_t b = uint32_t{v} << 16;
  float f;
  std::memcpy(&f, &b, 4);
  return f;
}

CUtensorMap map2d(CUdeviceptr base, uint64_t rows, uint64_t cols, uint32_t box_rows, uint32_t box_cols) {
  CUtensorMap m;
  uint64_t dims[] = {cols, rows}, strides[] = {cols * 2};
  uint32_t box[] = {box_cols, box_rows}, steps[] = {1, 1};
  REQUIRE(cuTensorMapEncodeTiled(&m, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, reinterpret_cast<void *>(base), dims, strides,
                                 box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                 CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
  return m;
}

struct Gemm : Emulated {
  std::vector<uint16_t> a, b;
  CUdeviceptr dc = 0;

  CUresult multiply(const std::string &file, int m, int n, int k, unsigned ctas) {
    CUresult r = load(read(file));
    INFO(log);
    REQUIRE(r == CUDA_SUCCESS);
    a.resize(static_cast<size_t>(m) * k);
    b.resize(static_cast<size_t>(n) * k);
    for (size_t i = 0; i < a.size(); ++i)
      a[i] = bf16(static_cast<float>(static_cast<int>(i * 7 % 17) - 8) / 8);
    for (size_t i = 0; i < b.size(); ++i)
      b[i] = bf16(static_cast<float>(static_cast<int>(i * 5 % 13) - 6) / 8);
    auto da = upload(a), db = upload(b);
    dc = allocate(static_cast<size_t>(m) * n * 2);
    return run("gemm", {ctas}, {384}, 3 * (128 + 256) * 128 + 4 * 128 * 128 + 1024 + 64, {2}, map2d(da, m, k, 128, 64),
               map2d(db, n, k, 128, 64), map2d(dc, m, n, 128, 64), m, n, k);
  }
  void check(int m, int n, int k, int step) {
    auto c = download<uint16_t>(dc, static_cast<size_t>(m) * n);
    for (int i = 0; i < m; i += step)
      for (int j = 0; j < n; j += step) {
        double want = 0;
        for (int x = 0; x < k; ++x)
          want += double(from_bf16(a[static_cast<size_t>(i) * k + x])) * from_bf16(b[static_cast<size_t>(j) * k + x]);
        REQUIRE(from_bf16(c[static_cast<size_t>(i) * n + j]) == Approx(want).epsilon(0.01).margin(0.01));
      }
  }
};

} // namespace

TEST_CASE_METHOD(Gemm, "a warp-specialised GEMM in clusters of two is right") {
  int seed = GENERATE(0, 1, 2);
  tegula_emulator_set("seed", std::to_string(seed).c_str());
  REQUIRE(multiply("gemm_sm90.ptx", 512, 512, 320, 2) == CUDA_SUCCESS);
  check(512, 512, 320, 7);
  tegula_emulator_set("seed", "0");
}

TEST_CASE_METHOD(Gemm, "the same without fence.proxy.async is reported") {
  CHECK(multiply("gemm_sm90_no_fence.ptx", 256, 256, 64, 2) == CUDA_ERROR_LAUNCH_FAILED);
}

TEST_CASE_METHOD(Gemm, "1024³ takes seconds, not minutes", "[speed]") {
  tegula_emulator_set("checks", "0");
  auto begin = std::chrono::steady_clock::now();
  REQUIRE(multiply("gemm_sm90.ptx", 1024, 1024, 1024, 16) == CUDA_SUCCESS);
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  tegula_emulator_set("checks", "1");
  WARN("1024x1024x1024 bf16: " << seconds << " s");
  check(1024, 1024, 1024, 61);
}
