// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rings at their edges: used outside any loop, of one stage with two readers, shorter than a loop with a tail.
#include "tegula/dsl.h"
#include "test/kernels/cases/on_emulator.h"

using namespace tegula;
using namespace tegula::dsl;
using tegula::test::bf16_of;
using tegula::test::OnEmulator;

namespace {

// C = A · Bᵀ in tiles of 128x64, depth 64, by two warpgroups that share B.
Result<dsl::Kernel> product(int64_t stages) {
  KernelBuilder k("product", Target::sm_90a);
  Index M = k.dim("M"), N = k.dim("N"), K = k.dim("K");
  Global A = k.global("A", bf16, {M, K}, {.align = 16}), B = k.global("B", bf16, {N, K}, {.align = 16});
  Global C = k.global("C", f32, {M, N});
  Tiles tiles = k.persistent({ceildiv(M, 128), ceildiv(N, 64)});
  Pipeline ring = k.pipeline(stages, {shared(bf16, {128, 64}), shared(bf16, {64, 64})});
  k.role("load", warps(1), [&] {
    tiles.each([&](Index i, Index j) {
      k.loop(ceildiv(K, 64), [&](Index kk) {
        auto [a, b] = ring.produce();
        copy(A.tile(i, kk), a);
        copy(B.tile(j, kk), b);
      });
    });
  });
  k.role("math", warpgroups(2), [&](Role &wg) {
    tiles.each([&](Index i, Index j) {
      Tile acc = zeros(f32, {64, 64});
      k.loop(ceildiv(K, 64), [&] {
        auto [a, b] = ring.consume();
        acc = mma(wg.rows(a), b.T(), acc);
      });
      store(acc, wg.rows(C.tile(i, j)));
    });
  });
  return k.finish();
}

// Y = X and Z = X, by way of one ring of two stages that each tile fills and empties twice, outside any loop.
Result<dsl::Kernel> two_outputs() {
  KernelBuilder k("two_outputs", Target::sm_90a);
  Index M = k.dim("M");
  Global X = k.global("X", f32, {M, 64}, {.align = 16});
  Global Y = k.global("Y", f32, {M, 64}, {.align = 16}), Z = k.global("Z", f32, {M, 64}, {.align = 16});
  Tiles tiles = k.persistent({ceildiv(M, 64)});
  Pipeline<1> ring = k.pipeline(2, {shared(f32, {64, 64})});
  k.role("load", warps(1), [&] {
    tiles.each([&](Index i) {
      copy(X.tile(i, 0), ring.produce()[0]);
      copy(X.tile(i, 0), ring.produce()[0]);
    });
  });
  k.role("out", warps(4), [&] {
    tiles.each([&](Index i) {
      store(load(ring.consume()[0]), Y.tile(i, 0));
      store(load(ring.consume()[0]) * 2, Z.tile(i, 0));
    });
  });
  return k.finish();
}

float a_at(int64_t i, int64_t k) { return static_cast<float>((i * 3 + k * 5) % 7 - 3); }
float b_at(int64_t j, int64_t k) { return static_cast<float>((j * 2 + k) % 5 - 2); }

// Small integers, so that each sum is exact.
void check_product(int64_t stages, int64_t m, int64_t n, int64_t depth) {
  INFO(stages << " stages, " << m << "x" << n << "x" << depth);
  std::vector<float> a, b;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t k = 0; k < depth; ++k)
      a.push_back(a_at(i, k));
  for (int64_t j = 0; j < n; ++j)
    for (int64_t k = 0; k < depth; ++k)
      b.push_back(b_at(j, k));
  OnEmulator device;
  tegula::Kernel kernel = device.load([=] { return product(stages); });
  DevicePtr da = device.upload(bf16_of(a)), db = device.upload(bf16_of(b));
  DevicePtr dc = device.upload(std::vector<float>(static_cast<size_t>(m * n), -1e30f));
  device.run(kernel, ArgumentList()
                         .global("A", da, DType::bf16, {m, depth})
                         .global("B", db, DType::bf16, {n, depth})
                         .global("C", dc, DType::f32, {m, n}));
  const auto got = device.download<float>(dc, static_cast<size_t>(m * n));
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t k = 0; k < depth; ++k)
        sum += a_at(i, k) * b_at(j, k);
      REQUIRE(got[static_cast<size_t>(i * n + j)] == sum);
    }
}

} // namespace

TEST_CASE("hang-06: two outputs share a ring of two stages outside any loop") {
  const int64_t m = GENERATE(64, 640);
  OnEmulator device;
  tegula::Kernel kernel = device.load(two_outputs);
  const std::vector<float> x = tegula::test::counting(static_cast<size_t>(m) * 64);
  const std::vector<float> nothing(x.size(), -1);
  DevicePtr dx = device.upload(x), dy = device.upload(nothing), dz = device.upload(nothing);
  device.run(kernel, ArgumentList()
                         .global("X", dx, DType::f32, {m, 64})
                         .global("Y", dy, DType::f32, {m, 64})
                         .global("Z", dz, DType::f32, {m, 64}));
  const auto y = device.download<float>(dy, x.size()), z = device.download<float>(dz, x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    REQUIRE(y[i] == x[i]);
    REQUIRE(z[i] == 2 * x[i]);
  }
}

TEST_CASE("hang-07: two warpgroups share the one stage that the loader refills") { check_product(1, 128, 64, 320); }

TEST_CASE("hang-08: five trips through four stages, and neighbours with a tail") {
  check_product(4, 128, 64, GENERATE(312, 320, 328));
}
