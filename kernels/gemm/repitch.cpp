// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies matrices whose pitch TMA can't step over into ones whose pitch it can.
#include "kernels/gemm/kernels.h"
#include "tegula/dsl.h"

namespace tegula {

using namespace dsl;

Result<Kernel> repitch(DType dtype, const RepitchSchedule &s) {
  KernelBuilder k("repitch", Target::sm_90a);
  Index batch = k.dim("batch"), R = k.dim("R"), C = k.dim("C");
  Global S = k.global("S", dtype, {batch, R, C}), T = k.global("T", dtype, {batch, R, C}, {.align = 16});
  k.grid({ceildiv(C, s.columns), ceildiv(R, s.rows), batch}).each([&](Index j, Index i, Index b) {
    k.wait_for_prior();
    k.allow_next();
    store(load(S.tile(b, i, j), {s.rows, s.columns}), T.tile(b, i, j));
  });
  return k.finish();
}

} // namespace tegula
