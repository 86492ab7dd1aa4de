// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA C++ of everyday styles, compiled by nvcc 13 optimised and not: each result against plain C++ on the host.
#include "test/runtime/emulator/cuda/cuda_test.h"

#include <algorithm>
#include <numeric>

using namespace tegula::emulator::test;

namespace {

struct Sgemm : Compiled {
  Sgemm() : Compiled("sgemm") {}
};
struct Reduction : Compiled {
  Reduction() : Compiled("reduction") {}
};
struct RadixSort : Compiled {
  RadixSort() : Compiled("radix_sort") {}
};
struct Stencil : Compiled {
  Stencil() : Compiled("stencil") {}
};
struct Histogram : Compiled {
  Histogram() : Compiled("histogram") {}
};

} // namespace

TEST_CASE_METHOD(Sgemm, "SGEMM with two buffers, through registers and by cp.async") {
  std::string kernel = GENERATE(as<std::string>{}, "sgemm_registers", "sgemm_async");
  const int m = 128, n = 64, k = 40;
  auto a = numbers(m * k, 1), b = numbers(k * n, 2), c = numbers(m * n, 3);
  auto da = upload(a), db = upload(b), dc = upload(c);
  REQUIRE(run(kernel, {n / 64, m / 64}, {256}, m, n, k, 2.0f, da, db, 0.5f, dc) == CUDA_SUCCESS);
  auto got = download<float>(dc, m * n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int x = 0; x < k; ++x)
        sum += a[i * k + x] * b[x * n + j];
      REQUIRE(got[i * n + j] == 2 * sum + 0.5f * c[i * n + j]);
    }
}

TEST_CASE_METHOD(Reduction, "a sum over a grid that synchronises itself") {
  auto in = numbers(5000);
  auto di = upload(in), partial = allocate(8 * 4), out = allocate(4);
  int n = 5000;
  void *params[] = {&di, &n, &partial, &out};
  REQUIRE(cuLaunchCooperativeKernel(function("reduce_grid"), 8, 1, 1, 96, 1, 1, 0, nullptr, params) == CUDA_SUCCESS);
  REQUIRE(cuCtxSynchronize() == CUDA_SUCCESS);
  REQUIRE(download<float>(out, 1)[0] == std::accumulate(in.begin(), in.end(), 0.0f));
}

TEST_CASE_METHOD(Reduction, "the maximum and its count by groups of the threads that agree") {
  std::vector<int> in(1000);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<int>(i * 31 % 200); // 5 times 199, each in another tile of 16
  auto di = upload(in), max = upload(std::vector<int>{-1}), count = upload(std::vector<int>{0});
  REQUIRE(run("reduce_max_count", {8}, {128}, di, 1000, max, count) == CUDA_SUCCESS);
  CHECK(download<int>(max, 1)[0] == 199);
  // Every tile counts its own maximum; a tile of 16 that has one maximum counts 1, and the last is full of -2147483647.
  int want = 0;
  in.resize(1024, -2147483647);
  for (size_t t = 0; t < in.size(); t += 16) {
    auto begin = in.begin() + static_cast<long>(t);
    want += static_cast<int>(std::count(begin, begin + 16, *std::max_element(begin, begin + 16)));
  }
  CHECK(download<int>(count, 1)[0] == want);
}

TEST_CASE_METHOD(Reduction, "sums of clusters through distributed shared memory") {
  auto in = numbers(3000);
  auto di = upload(in), out = allocate(2 * 4);
  REQUIRE(run("reduce_cluster", {8}, {64}, 0u, Dim{4}, di, 3000, out) == CUDA_SUCCESS);
  auto got = download<float>(out, 2);
  REQUIRE(got[0] + got[1] == std::accumulate(in.begin(), in.end(), 0.0f));
}

TEST_CASE_METHOD(RadixSort, "eight passes of 4 bits sort 32-bit keys") {
  const int n = 1500, blocks = (n + 127) / 128;
  std::vector<uint32_t> keys(n);
  uint32_t seed = 7;
  for (uint32_t &k : keys)
    k = seed = seed * 1664525 + 1013904223;
  auto from = upload(keys), to = allocate(n * 4);
  for (int shift = 0; shift < 32; shift += 4) {
    auto total = upload(std::vector<uint32_t>(16)), state = upload(std::vector<uint32_t>(16 * blocks)),
         ticket = upload(std::vector<uint32_t>(1));
    REQUIRE(run("count_digits", {3}, {128}, from, n, shift, total) == CUDA_SUCCESS);
    REQUIRE(run("scatter", {blocks}, {128}, from, to, n, shift, total, state, ticket) == CUDA_SUCCESS);
    std::swap(from, to);
  }
  std::sort(keys.begin(), keys.end());
  REQUIRE(download<uint32_t>(from, n) == keys);
}

TEST_CASE_METHOD(Stencil, "a 3D stencil of 25 points") {
  const int nx = 40, ny = 24, nz = 14, stride = nx * ny;
  auto in = numbers(static_cast<size_t>(nz) * stride);
  auto di = upload(in), out = upload(std::vector<float>(in.size(), 0.0f));
  REQUIRE(run("stencil", {(nx - 8) / 16, (ny - 8) / 8}, {16, 8}, di, out, nx, ny, nz) == CUDA_SUCCESS);
  auto got = download<float>(out, in.size());
  const double w[] = {-2.5, 1.25, -0.25, 0.0625, -0.015625};
  for (int z = 4; z < nz - 4; ++z)
    for (int y = 4; y < ny - 4; ++y)
      for (int x = 4; x < nx - 4; ++x) {
        int at = z * stride + y * nx + x;
        double want = 3 * w[0] * in[at];
        for (int i = 1; i <= 4; ++i)
          for (int step : {1, nx, stride})
            want += w[i] * (in[at - i * step] + in[at + i * step]);
        REQUIRE(got[at] == Approx(want).margin(1e-5));
      }
}

TEST_CASE_METHOD(Stencil, "a convolution of bytes with weights that the host sets in constant memory") {
  const int w = 45, h = 19;
  std::vector<unsigned char> in(w * h);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<unsigned char>(i * i % 251);
  auto taps = numbers(25, 5, 1.0f / 64);
  CUdeviceptr at = 0;
  size_t bytes = 0;
  REQUIRE(global("taps", at, bytes) == CUDA_SUCCESS);
  REQUIRE(bytes == 100);
  REQUIRE(cuMemcpyHtoDAsync_v2(at, taps.data(), 100, nullptr) == CUDA_SUCCESS);
  auto di = upload(in), out = allocate(in.size());
  REQUIRE(run("convolve", {3, 3}, {16, 8}, di, out, w, h) == CUDA_SUCCESS);
  auto got = download<unsigned char>(out, in.size());
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) {
      float v = 0; // exact: the weights have 10 bits
      for (int j = -2; j <= 2; ++j)
        for (int i = -2; i <= 2; ++i)
          v += taps[(j + 2) * 5 + i + 2] * in[std::clamp(y + j, 0, h - 1) * w + std::clamp(x + i, 0, w - 1)];
      REQUIRE(got[y * w + x] == std::nearbyint(std::clamp(v, 0.0f, 255.0f)));
    }
}

TEST_CASE_METHOD(Histogram, "a histogram with a copy a warp and with aggregated atomics") {
  std::vector<unsigned char> in(6000);
  std::vector<unsigned> want(256);
  for (size_t i = 0; i < in.size(); ++i)
    ++want[in[i] = static_cast<unsigned char>(i * i % 53 * 4)];
  auto di = upload(in), bins = upload(std::vector<unsigned>(256));
  REQUIRE(run("histogram_shared", {3}, {128}, 4 * 256 * 4u, Dim{}, di, 6000, bins) == CUDA_SUCCESS);
  REQUIRE(download<unsigned>(bins, 256) == want);
  bins = upload(std::vector<unsigned>(256));
  REQUIRE(run("histogram_aggregated", {4}, {96}, di, 6000, bins) == CUDA_SUCCESS);
  REQUIRE(download<unsigned>(bins, 256) == want);
}

TEST_CASE_METHOD(Histogram, "doubles added by compare and swap, and a 64-bit maximum") {
  std::vector<unsigned char> in(700);
  auto values = numbers(700);
  std::vector<double> want(256);
  std::vector<unsigned long long> last(256);
  for (size_t i = 0; i < in.size(); ++i) {
    in[i] = static_cast<unsigned char>(i % 7 * 9);
    want[in[i]] += values[i];
    last[in[i]] = i;
  }
  auto di = upload(in), dv = upload(values), sums = upload(std::vector<double>(256)),
       dl = upload(std::vector<unsigned long long>(256));
  REQUIRE(run("sum_by_bin", {2}, {128}, di, dv, 700, sums, dl) == CUDA_SUCCESS);
  CHECK(download<double>(sums, 256) == want);
  CHECK(download<unsigned long long>(dl, 256) == last);
}
