// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels that a GEMM is run by. Arguments are bound by the names that each lists; gemm.cpp does.
#pragma once

#include "compiler/dsl/kernel.h"
#include "kernels/gemm/problem.h"
#include "kernels/gemm/schedule.h"

namespace tegula {

/// D = act(alpha · A · B + beta · C + bias), or with `partial` the f32 sums of a part of K.
/// Globals A, B, D, and C, bias where the problem has them. Dims M, N, K; batch where an operand is batched; with
/// `partial` slices (batch · splits), splits, steps (slots of the ring a part) and width (elements of a row of D,
/// padded). Scalars alpha (not partial), beta (with C).
[[nodiscard]] Result<dsl::Kernel> gemm_sm90(const GemmProblem &p, const GemmSchedule &s);

/// D = act(sum over splits of W + beta · C + bias): adds the parts of K in order. Globals W [slices, M, width] in f32
/// and D, C, bias; dims M, N, batch, slices, splits, width; scalars alpha, beta.
struct ReduceSchedule {
  int m = 8, n = 128; ///< the tile of a block
  [[nodiscard]] static ReduceSchedule for_rows(int64_t m) {
    return m >= 8 ? ReduceSchedule{8, 128} : ReduceSchedule{1, 512};
  }
};
[[nodiscard]] Result<dsl::Kernel> reduce_split_k(const GemmProblem &p, const ReduceSchedule &s);

/// T = S, row by row, for a T whose pitch suits TMA. Globals S, T [batch, R, C]; dims batch, R, C.
struct RepitchSchedule {
  int rows = 8, columns = 256;
};
[[nodiscard]] Result<dsl::Kernel> repitch(DType dtype, const RepitchSchedule &s);

} // namespace tegula
