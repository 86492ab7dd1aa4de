// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Softmax of each row. New here: two dims, reductions, a vector that meets a matrix, what padding reads as.
#include <cmath>

#include "kernels/examples/examples.h"
#include "tegula/dsl.h"

namespace tegula::examples {

using namespace dsl;

Result<dsl::Kernel> softmax(Target target, DType dtype, const SoftmaxSchedule &s) {
  KernelBuilder k("softmax", target);
  Index M = k.dim("M"), N = k.dim("N");
  Global X = k.global("X", dtype, {M, N}), Y = k.global("Y", dtype, {M, N});

  k.warps(s.warps);
  k.grid({ceildiv(M, s.rows)}).each([&](Index i) {
    // Columns beyond N read as -inf: they don't move the maximum, and their exponential is 0.
    Tile x = cast(load(X.tile(i, 0), {s.rows, s.columns}, {.fill = -INFINITY}), f32);
    Tile top = reduce_max(x, 1);
    Tile e = exp(x - per_row(top));
    Tile y = e / per_row(reduce_sum(e, 1));
    store(cast(y, dtype), Y.tile(i, 0));
  });
  return k.finish();
}

} // namespace tegula::examples
