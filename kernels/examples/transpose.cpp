// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Y = Xᵀ. New here: a tile in shared memory, written by rows and read by columns; its layout is the compiler's matter.
#include "kernels/examples/examples.h"
#include "tegula/dsl.h"

namespace tegula::examples {

using namespace dsl;

Result<dsl::Kernel> transpose(Target target, DType dtype, const TransposeSchedule &s) {
  KernelBuilder k("transpose", target);
  Index M = k.dim("M"), N = k.dim("N");
  Global X = k.global("X", dtype, {M, N}), Y = k.global("Y", dtype, {N, M});

  View tile = k.shared(dtype, {s.side, s.side});
  k.warps(s.warps);
  k.grid({ceildiv(M, s.side), ceildiv(N, s.side)}).each([&](Index i, Index j) {
    copy(X.tile(i, j), tile);
    store(load(tile.T()), Y.tile(j, i));
  });
  return k.finish();
}

} // namespace tegula::examples
