// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C = swish(A · Bᵀ + bias) · gate. The product of matmul.cpp with an epilogue of one's own: any formula on the tile, with
// whatever else it reads.
#include "kernels/examples/examples.h"
#include "tegula/dsl.h"

namespace tegula::examples {

using namespace dsl;

/// x · sigmoid(x)
static Tile swish(const Tile &x) { return x / (1 + exp(-x)); }

Result<dsl::Kernel> gated_matmul(DType dtype, const MatmulSchedule &s) {
  KernelBuilder k("gated_matmul", Target::sm_90a);
  Index M = k.dim("M"), N = k.dim("N"), K = k.dim("K");
  Global A = k.global("A", dtype, {M, K}, {.align = 16}), B = k.global("B", dtype, {N, K}, {.align = 16});
  Global C = k.global("C", dtype, {M, N}, {.align = 16}), gate = k.global("gate", dtype, {M, N}, {.align = 16});
  Global bias = k.global("bias", f32, {N});

  Tiles tiles = k.persistent({ceildiv(M, s.m), ceildiv(N, s.n)}, s.raster);
  Pipeline ring = k.pipeline(s.stages, {shared(dtype, {s.m, s.k}), shared(dtype, {s.n, s.k})});

  k.role("load", warps(1), [&] {
    tiles.each([&](Index i, Index j) {
      k.loop(ceildiv(K, s.k), [&](Index kk) {
        auto [a, b] = ring.produce();
        copy(A.tile(i, kk), a);
        copy(B.tile(j, kk), b);
      });
    });
  });
  k.role("math", warpgroups(2), [&](Role &wg) {
    tiles.each([&](Index i, Index j) {
      Tile acc = zeros(f32, {s.m / 2, s.n});
      k.loop(ceildiv(K, s.k), [&] {
        auto [a, b] = ring.consume();
        acc = mma(wg.rows(a), b.T(), acc);
      });
      Tile offset = load(bias.tile(j), {s.n});
      Tile g = cast(load(wg.rows(gate.tile(i, j)).sized(acc.shape())), f32);
      Tile c = swish(acc + per_column(offset)) * g;
      copy(cast(c, dtype), wg.rows(C.tile(i, j)));
    });
  });
  return k.finish();
}

} // namespace tegula::examples
