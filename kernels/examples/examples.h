// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Five small kernels to learn from, in the order of kernels/README.md. Each file is read in a minute.
#pragma once

#include "compiler/dsl/kernel.h"
#include "compiler/dsl/kernel_builder.h"
#include "runtime/types/dtype.h"

namespace tegula::examples {

/// Y = alpha * X + Y on vectors of any length. Globals X, Y [N]; dim N; scalar alpha.
struct SaxpySchedule {
  int64_t elements = 1024; ///< a block's tile
  int64_t warps = 4;
};
[[nodiscard]] Result<dsl::Kernel> saxpy(dsl::Target target, const SaxpySchedule &s = {});

/// Y = softmax of each row of X. Globals X, Y [M, N] of `dtype`; dims M, N. N may be anything up to `columns`.
struct SoftmaxSchedule {
  int64_t rows = 4;       ///< a block's tile
  int64_t columns = 1024; ///< at least N
  int64_t warps = 4;
};
[[nodiscard]] Result<dsl::Kernel> softmax(dsl::Target target, DType dtype, const SoftmaxSchedule &s = {});

/// Y = Xᵀ by way of shared memory, so that both reads and writes are of whole rows. Globals X [M, N], Y [N, M] of
/// `dtype`; dims M, N.
struct TransposeSchedule {
  int64_t side = 64; ///< of a block's square tile
  int64_t warps = 4;
};
[[nodiscard]] Result<dsl::Kernel> transpose(dsl::Target target, DType dtype, const TransposeSchedule &s = {});

/// How a matrix product is run on Hopper.
struct MatmulSchedule {
  int64_t m = 128, n = 256, k = 64; ///< a block's tile, and the depth of a stage
  int64_t stages = 4;
  int64_t raster = 8;
};
/// C = A · Bᵀ, rounded from f32 sums. Globals A [M, K], B [N, K], C [M, N] of `dtype`; dims M, N, K.
[[nodiscard]] Result<dsl::Kernel> matmul(DType dtype, const MatmulSchedule &s = {});

/// C = swish(A · Bᵀ + bias) · gate, the epilogue being the author's own formula. Globals as matmul's, bias [N] in f32, and
/// gate [M, N] of `dtype`.
[[nodiscard]] Result<dsl::Kernel> gated_matmul(DType dtype, const MatmulSchedule &s = {.n = 128});

} // namespace tegula::examples
