// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element types of the DSL as types of MLIR.
#pragma once

#include "compiler/dsl/shape.h"
#include "mlir/IR/Types.h"

namespace tegula::dsl {

/// The type that stands for `dtype` in IR: integers without sign, tf32 as f32. Null for what no tile can hold yet
/// (types of less than a byte).
[[nodiscard]] mlir::Type element_type(mlir::MLIRContext &context, DType dtype);

/// bool and integers.
[[nodiscard]] inline bool is_integral(DType dtype) { return !is_float(dtype); }

} // namespace tegula::dsl
