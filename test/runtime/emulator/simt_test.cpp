// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that nvcc compiled, optimised and not: the everyday SIMT code of other people.
#include "test/runtime/emulator/emulated.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace tegula::emulator::test;

namespace {

struct Simt : Emulated {
  Simt() {
    std::string file = GENERATE(as<std::string>{}, "simt_o3.ptx", "simt_g.ptx");
    INFO(file);
    CUresult r = load(read(file));
    INFO(log);
    REQUIRE(r == CUDA_SUCCESS);
  }
};

std::vector<float> ramp(size_t n, float scale = 1) {
  std::vector<float> v(n);
  for (size_t i = 0; i < n; ++i)
    v[i] = static_cast<float>(static_cast<int>(i * 37 % 101) - 50) * scale;
  return v;
}

} // namespace

TEST_CASE_METHOD(Simt, "saxpy with a ragged tail") {
  auto x = ramp(1000), y = ramp(1000, 0.5f);
  auto dx = upload(x), dy = upload(y);
  REQUIRE(run("saxpy", {8}, {128}, 1000, 2.0f, dx, dy) == CUDA_SUCCESS);
  auto out = download<float>(dy, 1000);
  for (size_t i = 0; i < 1000; ++i)
    REQUIRE(out[i] == 2.0f * x[i] + y[i]);
}

TEST_CASE_METHOD(Simt, "row softmax with shuffles and shared memory") {
  auto in = ramp(3 * 333, 0.1f);
  auto di = upload(in), out = allocate(in.size() * 4);
  REQUIRE(run("softmax", {3}, {128}, 64u, Dim{}, di, out, 333) == CUDA_SUCCESS);
  auto got = download<float>(out, in.size());
  for (int r = 0; r < 3; ++r) {
    double sum = 0, max = -1e30;
    for (int c = 0; c < 333; ++c)
      max = std::max<double>(max, in[r * 333 + c]);
    for (int c = 0; c < 333; ++c)
      sum += std::exp(in[r * 333 + c] - max);
    for (int c = 0; c < 333; ++c)
      REQUIRE(got[r * 333 + c] == Approx(std::exp(in[r * 333 + c] - max) / sum).epsilon(1e-5));
  }
}

TEST_CASE_METHOD(Simt, "transpose with ragged edges") {
  auto in = ramp(70 * 45);
  auto di = upload(in), out = allocate(in.size() * 4);
  REQUIRE(run("transpose", {2, 3}, {32, 8}, di, out, 70, 45) == CUDA_SUCCESS);
  auto got = download<float>(out, in.size());
  for (int r = 0; r < 70; ++r)
    for (int c = 0; c < 45; ++c)
      REQUIRE(got[c * 70 + r] == in[r * 45 + c]);
}

TEST_CASE_METHOD(Simt, "tiled SGEMM") {
  auto a = ramp(64 * 64, 0.01f), b = ramp(64 * 64, 0.02f);
  auto da = upload(a), db = upload(b), dc = allocate(64 * 64 * 4);
  REQUIRE(run("sgemm", {4, 4}, {16, 16}, da, db, dc, 64) == CUDA_SUCCESS);
  auto c = download<float>(dc, 64 * 64);
  for (int i = 0; i < 64; ++i)
    for (int j = 0; j < 64; ++j) {
      double want = 0;
      for (int k = 0; k < 64; ++k)
        want += double(a[i * 64 + k]) * b[k * 64 + j];
      REQUIRE(c[i * 64 + j] == Approx(want).margin(1e-4));
    }
}

TEST_CASE_METHOD(Simt, "recursion with a depth that differs by lane") {
  auto out = allocate(64 * 4);
  REQUIRE(run("recursive", {1}, {64}, out) == CUDA_SUCCESS);
  auto got = download<int>(out, 64);
  int fib[12] = {0, 1};
  for (int i = 2; i < 12; ++i)
    fib[i] = fib[i - 1] + fib[i - 2];
  for (int i = 0; i < 64; ++i)
    REQUIRE(got[i] == fib[i % 12]);
}

TEST_CASE_METHOD(Simt, "histogram with shared and global atomics") {
  std::vector<int> in(5000), want(64);
  for (size_t i = 0; i < in.size(); ++i)
    ++want[(in[i] = static_cast<int>(i * i % 97)) & 63];
  auto di = upload(in), bins = upload(std::vector<int>(64));
  REQUIRE(run("histogram", {5}, {128}, di, 5000, bins) == CUDA_SUCCESS);
  REQUIRE(download<int>(bins, 64) == want);
}

TEST_CASE_METHOD(Simt, "a spin lock between lanes of one warp and between CTAs ends") {
  auto lock = upload(std::vector<int>(1)), count = upload(std::vector<int>(1));
  REQUIRE(run("spinlock", {4}, {64}, lock, count) == CUDA_SUCCESS);
  REQUIRE(download<int>(count, 1)[0] == 256);
}

TEST_CASE_METHOD(Simt, "a barrier of the grid through global memory ends") {
  auto arrived = upload(std::vector<unsigned>(1)), data = allocate(40 * 4), out = allocate(40 * 4);
  REQUIRE(run("gridbarrier", {40}, {64}, arrived, data, out) == CUDA_SUCCESS);
  REQUIRE(download<int>(out, 40) == std::vector<int>(40, 820)); // 1 + … + 40
}

TEST_CASE_METHOD(Simt, "printf") { REQUIRE(run("hello", {1}, {32}, 2) == CUDA_SUCCESS); }
