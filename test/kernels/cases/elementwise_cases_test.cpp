// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels without products: extents that divide nothing, tiles that reach past the edge, code that must not grow.
#include <algorithm>
#include <cmath>

#include "compiler/pipeline/compile.h"
#include "tegula/dsl.h"
#include "test/kernels/cases/on_emulator.h"

using namespace tegula;
using namespace tegula::dsl;
using tegula::test::counting;
using tegula::test::need;
using tegula::test::OnEmulator;

namespace {

Result<dsl::Kernel> sum_of_two(int64_t elements, int64_t warps = 4) {
  KernelBuilder k("sum_of_two", Target::sm_90a);
  Index N = k.dim("N");
  Global X = k.global("X", f32, {N}), Y = k.global("Y", f32, {N});
  k.warps(warps);
  k.grid({ceildiv(N, elements)}).each([&](Index i) {
    store(load(X.tile(i), {elements}) + load(Y.tile(i), {elements}), Y.tile(i));
  });
  return k.finish();
}

// Y = X + Y for n elements, the rest of Y untouched.
void check_sum(OnEmulator &device, const tegula::Kernel &kernel, int64_t n) {
  INFO("n = " << n);
  const size_t size = static_cast<size_t>(n);
  std::vector<float> x = counting(size + 8), y(size + 8, 0.5f);
  DevicePtr dx = device.upload(x), dy = device.upload(y);
  device.run(kernel, ArgumentList().global("X", dx, DType::f32, {n}).global("Y", dy, DType::f32, {n}));
  std::vector<float> got = device.download<float>(dy, size + 8);
  for (size_t i = 0; i < size; ++i)
    REQUIRE(got[i] == x[i] + 0.5f);
  for (size_t i = size; i < got.size(); ++i)
    REQUIRE(got[i] == 0.5f);
}

} // namespace

TEST_CASE("shape-06: one kernel serves any extent of an element-wise sum") {
  OnEmulator device;
  for (int64_t n : {1, 127, 128, 129, 1000})
    check_sum(device, device.load([] { return sum_of_two(128); }), n);
  CHECK(device.jit.counts().compiles == 1);
}

TEST_CASE("limit-06: copies smaller than a warp's share") {
  OnEmulator device;
  tegula::Kernel kernel = device.load([] { return sum_of_two(32); });
  for (int64_t n : {32, 5, 33, 31})
    check_sum(device, kernel, n);
}

TEST_CASE("shape-17: beyond the edge of a tensor a tile reads what was asked for") {
  OnEmulator device;
  const int64_t m = 30, n = 32;
  tegula::Kernel kernel = device.load([]() -> Result<dsl::Kernel> {
    KernelBuilder k("edges", Target::sm_90a);
    Index M = k.dim("M"), N = k.dim("N");
    Global X = k.global("X", f32, {M, N}), sums = k.global("sums", f32, {N}), tops = k.global("tops", f32, {M});
    Global soft = k.global("soft", f32, {M, N});
    k.grid({Index(1)}).each([&](Index) {
      store(reduce_sum(load(X.tile(0, 0), {32, 32}), 0), sums.tile(0));
      Tile x = load(X.tile(0, 0), {32, 32}, {.fill = -INFINITY});
      store(reduce_max(load(X.tile(0, 0), {32, 64}, {.fill = -INFINITY}), 1), tops.tile(0));
      Tile e = exp(x - per_row(reduce_max(x, 1)));
      store(e / per_row(reduce_sum(e, 1)), soft.tile(0, 0));
    });
    return k.finish();
  });
  std::vector<float> x(static_cast<size_t>(m * n));
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = -1.0f - static_cast<float>(i * 7 % 13); // all below 0: a zero from beyond the edge would win
  DevicePtr dx = device.upload(x), sums = device.upload(std::vector<float>(32)),
            tops = device.upload(std::vector<float>(32)), soft = device.upload(x);
  device.run(kernel, ArgumentList()
                         .global("X", dx, DType::f32, {m, n})
                         .global("sums", sums, DType::f32, {n})
                         .global("tops", tops, DType::f32, {m})
                         .global("soft", soft, DType::f32, {m, n}));
  const auto got_sums = device.download<float>(sums, 32), got_tops = device.download<float>(tops, 32);
  const auto got_soft = device.download<float>(soft, x.size());
  for (size_t j = 0; j < 32; ++j) {
    float sum = 0;
    for (size_t i = 0; i < 30; ++i)
      sum += x[i * 32 + j];
    CHECK(got_sums[j] == sum);
  }
  for (size_t i = 0; i < 30; ++i) {
    const float *row = x.data() + i * 32;
    const float top = *std::max_element(row, row + 32);
    CHECK(got_tops[i] == top);
    double sum = 0;
    for (size_t j = 0; j < 32; ++j)
      sum += std::exp(double(row[j]) - top);
    for (size_t j = 0; j < 32; ++j)
      CHECK(got_soft[i * 32 + j] == Approx(std::exp(double(row[j]) - top) / sum).epsilon(1e-5));
  }
}

TEST_CASE("compile-02: the code of an element-wise sum hardly grows with its tile") {
  const auto length = [](int64_t elements) {
    const dsl::Kernel kernel = need(sum_of_two(elements));
    return need(compile_kernel(kernel, {.assemble = false})).ptx.size();
  };
  CHECK(length(32768) < 2 * length(1024));
}

TEST_CASE("compile-02: an element-wise sum of a large tile is right") {
  OnEmulator device;
  tegula::Kernel kernel = device.load([] { return sum_of_two(32768); });
  for (int64_t n : {32768, 40001})
    check_sum(device, kernel, n);
}

TEST_CASE("limit-08: a contiguous tile of 2x256 in a tensor of five dims; six are refused") {
  KernelBuilder six("six", Target::sm_90a);
  Index N = six.dim("N");
  (void)six.global("X", f32, {N, 2, 3, 1, 2, 256});
  const Result<dsl::Kernel> refused = six.finish();
  REQUIRE_FALSE(refused.ok());
  CHECK(std::string(refused.error().message()).find("error: 'X' has 6 dims; it must have 1 to 5") != std::string::npos);

  OnEmulator device;
  tegula::Kernel kernel = device.load([]() -> Result<dsl::Kernel> {
    KernelBuilder k("five", Target::sm_90a);
    Index A = k.dim("A"), B = k.dim("B");
    Global X = k.global("X", f32, {A, 2, 3, B, 256}, {.align = 16});
    Global Y = k.global("Y", f32, {A, 2, 3, B, 256}, {.align = 16});
    k.grid({A}).each([&](Index a) {
      store(load(X.slice({2, 256}, {a, 1, 2, 0, 0}), {2, 256}) * 2.0, Y.slice({2, 256}, {a, 1, 2, 0, 0}));
    });
    return k.finish();
  });
  const int64_t a = 2, b = 2;
  const size_t size = static_cast<size_t>(a * 6 * b * 256);
  std::vector<float> x = counting(size);
  DevicePtr dx = device.upload(x), dy = device.upload(std::vector<float>(size, -1));
  device.run(
      kernel,
      ArgumentList().global("X", dx, DType::f32, {a, 2, 3, b, 256}).global("Y", dy, DType::f32, {a, 2, 3, b, 256}));
  const auto got = device.download<float>(dy, size);
  for (size_t i = 0; i < size; ++i)
    REQUIRE(got[i] == (i / 512 % 6 == 5 ? 2 * x[i] : -1));
}
