// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a caller asks of gemm: extents, addresses, strides, scalars; and its normal form, in which D has dense rows.
#pragma once

#include <cstdint>

#include "kernels/gemm/problem.h"
#include "kernels/gemm/schedule_table.h"
#include "runtime/driver/driver_types.h"

namespace tegula {

/// A matrix in device memory. Strides are in elements and may be anything that fits 64 bits; one of the two is 1.
/// Strides of extents 0 and 1 are ignored. A batch stride of 0 on an input lets every product read the same matrix.
struct GemmMatrix {
  cu::CUdeviceptr address = 0;
  int64_t row_stride = 0;    ///< from one row to the next
  int64_t column_stride = 1; ///< from one column to the next
  int64_t batch_stride = 0;  ///< from one product's matrix to the next product's

  bool operator==(const GemmMatrix &) const = default;
};

/// The bias: one value a column (or row) of D, `stride` elements apart; 0 uses one value for all.
struct GemmVector {
  cu::CUdeviceptr address = 0;
  int64_t stride = 1;
  int64_t batch_stride = 0;

  bool operator==(const GemmVector &) const = default;
};

[[nodiscard]] inline GemmMatrix row_major(cu::CUdeviceptr address, int64_t pitch, int64_t batch_stride = 0) {
  return {address, pitch, 1, batch_stride};
}
[[nodiscard]] inline GemmMatrix column_major(cu::CUdeviceptr address, int64_t pitch, int64_t batch_stride = 0) {
  return {address, 1, pitch, batch_stride};
}

/// D = act(alpha · A · B + beta · C + bias), batch times. A is m by k, B k by n, C and D m by n; sums are f32.
///     GemmArgs args{.m = m, .n = n, .k = k, .a = row_major(x, k), .b = column_major(w, k), .d = row_major(y, n)};
struct GemmArgs {
  DType in = DType::bf16;  ///< of A and B: bf16 or fp16
  DType out = DType::bf16; ///< of C, D and the bias: as `in`, or f32
  int64_t m = 0, n = 0, k = 0, batch = 1;
  GemmMatrix a = {}, b = {};
  GemmMatrix c = {}; ///< read only if beta is not 0; either stride may be 0, and it may be D itself
  GemmMatrix d = {};
  BiasAxis bias_axis = BiasAxis::none;
  GemmVector bias = {};
  float alpha = 1, beta = 0;
  Activation activation = Activation::none;
};

/// Everything that can be known to be wrong before a launch, all in one message. m, n, batch or k of 0 are fine.
[[nodiscard]] Result<void> validate(const GemmArgs &args);

/// The normal form of a valid call: D's column stride is 1 (a column-major D is computed as Dᵀ = Bᵀ · Aᵀ), strides that
/// don't count are replaced by such as suit TMA.
struct GemmCall {
  GemmProblem problem = {}; ///< as choose_schedule takes it
  GemmShape shape = {};
  GemmMatrix a = {}, b = {}, c = {}, d = {};
  GemmVector bias = {};
  float alpha = 1, beta = 0;
};

[[nodiscard]] GemmCall normalize(const GemmArgs &args);

/// The same matrix with rows and columns exchanged.
[[nodiscard]] inline GemmMatrix transposed(const GemmMatrix &m) {
  return {m.address, m.column_stride, m.row_stride, m.batch_stride};
}

/// The call with operands exchanged, as a schedule with `swap` launches it: its D is transposed.
[[nodiscard]] GemmCall swap_operands(const GemmCall &call);

} // namespace tegula
