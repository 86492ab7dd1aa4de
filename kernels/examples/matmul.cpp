// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C = A · Bᵀ on Hopper: one warp streams tiles through a ring, two warpgroups multiply and store. New here: a pipeline,
// roles, a loop that carries a tile, the tensor cores.
#include "kernels/examples/examples.h"
#include "tegula/dsl.h"

namespace tegula::examples {

using namespace dsl;

Result<dsl::Kernel> matmul(DType dtype, const MatmulSchedule &s) {
  KernelBuilder k("matmul", Target::sm_90a);
  Index M = k.dim("M"), N = k.dim("N"), K = k.dim("K");
  Global A = k.global("A", dtype, {M, K}, {.align = 16}), B = k.global("B", dtype, {N, K}, {.align = 16});
  Global C = k.global("C", dtype, {M, N}, {.align = 16});

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
      copy(cast(acc, dtype), wg.rows(C.tile(i, j)));
    });
  });
  return k.finish();
}

} // namespace tegula::examples
