// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adds up the sums of the parts of K, always in the same order, and finishes: the second kernel of a split product. It
// may start while the first one ends. With no parts (K = 0) it is the epilogue alone.
#include "kernels/gemm/epilogue.h"
#include "kernels/gemm/kernels.h"

namespace tegula {

using namespace dsl;

Result<Kernel> reduce_split_k(const GemmProblem &p, const ReduceSchedule &s) {
  KernelBuilder k("reduce_split_k", Target::sm_90a);
  Index M = k.dim("M"), N = k.dim("N"), batch = k.dim("batch");
  Index slices = k.dim("slices"), splits = k.dim("splits"), width = k.dim("width");
  Global W = k.global("W", f32, {slices, M, width}, {.align = 16});
  Global D = declare(k, "D", p.out, p.d_batched, false, {batch, M, N}, {.align = p.d_tma ? 16 : 0});
  const Epilogue epilogue(k, p, {batch, M, N});

  k.grid({ceildiv(N, s.n), ceildiv(M, s.m), batch}).each([&](Index j, Index i, Index b) {
    k.wait_for_prior();
    k.allow_next();
    Tile sum = zeros(f32, {s.m, s.n});
    k.loop(splits, [&](Index part) { sum = sum + load(W.tile(b * splits + part, i, j), {s.m, s.n}); });
    store(cast(epilogue.apply(sum, b, i, j), p.out), tile_of(D, p.d_batched, false, b, i, j));
  });
  return k.finish();
}

} // namespace tegula
