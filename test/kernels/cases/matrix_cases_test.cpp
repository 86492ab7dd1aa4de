// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels with products: one fed by another, loads that TMA cannot do in a role that streams.
#include "tegula/dsl.h"
#include "test/kernels/cases/on_emulator.h"

using namespace tegula;
using namespace tegula::dsl;
using tegula::test::bf16_of;
using tegula::test::OnEmulator;

namespace {

// O = round(Q · K) · V, by `warps` warps: Q [rows, 64], K [64, 128], V [128, 64].
Result<dsl::Kernel> two_products(int64_t warps) {
  KernelBuilder k("two_products", Target::sm_90a);
  const int64_t rows = 16 * warps;
  Index M = k.dim("M");
  Global Q = k.global("Q", bf16, {M, 64}, {.align = 16}), K = k.global("K", bf16, {64, 128}, {.align = 16});
  Global V = k.global("V", bf16, {128, 64}, {.align = 16}), O = k.global("O", f32, {M, 64}, {.align = 16});
  Tiles tiles = k.grid({ceildiv(M, rows)});
  Pipeline ring = k.pipeline(1, {shared(bf16, {rows, 64}), shared(bf16, {64, 128}), shared(bf16, {128, 64})});
  k.role("load", dsl::warps(1), [&] {
    tiles.each([&](Index i) {
      auto [q, kk, v] = ring.produce();
      copy(Q.tile(i, 0), q);
      copy(K.tile(0, 0), kk);
      copy(V.tile(0, 0), v);
    });
  });
  k.role("math", dsl::warps(warps), [&] {
    tiles.each([&](Index i) {
      auto [q, kk, v] = ring.consume();
      Tile s = cast(mma(q, kk, zeros(f32, {rows, 128})), bf16);
      store(mma(s, v, zeros(f32, {rows, 64})), O.tile(i, 0));
    });
  });
  return k.finish();
}

// C = A · Bᵀ with A's rows `pitch` apart, copied by the role that streams.
Result<dsl::Kernel> unaligned_product() {
  KernelBuilder k("unaligned", Target::sm_90a);
  Index M = k.dim("M"), N = k.dim("N"), K = k.dim("K");
  Global A = k.global("A", bf16, {M, K}), B = k.global("B", bf16, {N, K}, {.align = 16});
  Global C = k.global("C", f32, {M, N});
  Tiles tiles = k.persistent({ceildiv(M, 64), ceildiv(N, 64)});
  Pipeline ring = k.pipeline(2, {shared(bf16, {64, 64}), shared(bf16, {64, 64})});
  k.role("load", dsl::warps(4), [&] {
    tiles.each([&](Index i, Index j) {
      k.loop(ceildiv(K, 64), [&](Index kk) {
        auto [a, b] = ring.produce();
        copy(A.tile(i, kk), a);
        copy(B.tile(j, kk), b);
      });
    });
  });
  k.role("math", warpgroups(1), [&] {
    tiles.each([&](Index i, Index j) {
      Tile acc = zeros(f32, {64, 64});
      k.loop(ceildiv(K, 64), [&] {
        auto [a, b] = ring.consume();
        acc = mma(a, b.T(), acc);
      });
      store(acc, C.tile(i, j));
    });
  });
  return k.finish();
}

} // namespace

TEST_CASE("shape-18: a product of a rounded product, by four and by eight warps") {
  const int64_t warps = GENERATE(4, 8);
  const int64_t rows = 16 * warps;
  OnEmulator device;
  tegula::Kernel kernel = device.load([=] { return two_products(warps); });
  DevicePtr q = device.upload(bf16_of(std::vector<float>(static_cast<size_t>(rows) * 64, 1)));
  DevicePtr k = device.upload(bf16_of(std::vector<float>(64 * 128, 1)));
  DevicePtr v = device.upload(bf16_of(std::vector<float>(128 * 64, 1)));
  DevicePtr o = device.upload(std::vector<float>(static_cast<size_t>(rows) * 64, -1));
  device.run(kernel, ArgumentList()
                         .global("Q", q, DType::bf16, {rows, 64})
                         .global("K", k, DType::bf16, {64, 128})
                         .global("V", v, DType::bf16, {128, 64})
                         .global("O", o, DType::f32, {rows, 64}));
  for (float value : device.download<float>(o, static_cast<size_t>(rows) * 64))
    REQUIRE(value == 64 * 128);
}

// Y += X[p] for each p, of rows whose length is a multiple of `multiple`.
static Result<dsl::Kernel> accumulates(int64_t multiple) {
  KernelBuilder k("accumulates", Target::sm_90a);
  Index M = k.dim("M"), N = k.dim("N", {.multiple = multiple}), P = k.dim("parts");
  Global X = k.global("X", f32, {P, M, N}), Y = k.global("Y", f32, {M, N}, {.align = 16});
  k.grid({ceildiv(M, 64), ceildiv(N, 64), P}).each([&](Index i, Index j, Index p) {
    copy(load(X.tile(p, i, j), {64, 64}), Y.tile(i, j), {.accumulate = true});
  });
  return k.finish();
}

TEST_CASE("a store that accumulates adds to what is there, by TMA") {
  OnEmulator device;
  tegula::Kernel kernel = device.load([] { return accumulates(4); });
  const int64_t m = 70, n = 72, parts = 3;
  const size_t size = static_cast<size_t>(m * n);
  std::vector<float> x(size * 3);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(i % 17);
  DevicePtr dx = device.upload(x), dy = device.upload(std::vector<float>(size, 0.5f));
  device.run(kernel, ArgumentList().global("X", dx, DType::f32, {parts, m, n}).global("Y", dy, DType::f32, {m, n}));
  const std::vector<float> got = device.download<float>(dy, size);
  for (size_t i = 0; i < size; ++i)
    REQUIRE(got[i] == 0.5f + x[i] + x[size + i] + x[2 * size + i]);
}

TEST_CASE("misuse: accumulating where TMA does not reach") {
  OnEmulator device;
  const auto refused = device.jit.compile({"accumulates", "", "", [] { return accumulates(1); }});
  REQUIRE_FALSE(refused.ok());
  CHECK(std::string(refused.error().message())
            .find("error: adding to a tensor takes TMA, which cannot reach this one: rows "
                  "are promised to be multiples of 4 bytes long") != std::string::npos);
}

TEST_CASE("verifier-02: a role that streams loads by threads what TMA cannot") {
  const int64_t m = 70, n = 64, depth = 72, pitch = 73; // rows 146 bytes apart, 2 off a multiple of 16
  OnEmulator device;
  tegula::Kernel kernel = device.load(unaligned_product);
  CHECK(kernel.manifest().schedule.at("path.A.load").find("threads") != std::string::npos);
  std::vector<float> a(static_cast<size_t>(m * pitch), 1e30f), b(static_cast<size_t>(n * depth));
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < depth; ++j)
      a[static_cast<size_t>(i * pitch + j)] = static_cast<float>((i * 3 + j * 5) % 7 - 3);
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = static_cast<float>(i % 5) - 2;
  DevicePtr da = device.upload(bf16_of(a)), db = device.upload(bf16_of(b));
  DevicePtr dc = device.upload(std::vector<float>(static_cast<size_t>(m * n), -1));
  device.run(kernel, ArgumentList()
                         .global("A", da, DType::bf16, {m, depth}, {pitch, 1})
                         .global("B", db, DType::bf16, {n, depth})
                         .global("C", dc, DType::f32, {m, n}));
  const auto got = device.download<float>(dc, static_cast<size_t>(m * n));
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t kk = 0; kk < depth; ++kk)
        sum += a[static_cast<size_t>(i * pitch + kk)] * b[static_cast<size_t>(j * depth + kk)];
      REQUIRE(got[static_cast<size_t>(i * n + j)] == sum);
    }
}
