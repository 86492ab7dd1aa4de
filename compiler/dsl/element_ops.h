// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One operation of the DSL as one op of arith or math, for tiles, scalars and indices alike.
#pragma once

#include "compiler/dsl/builder_state.h"

namespace tegula::dsl {

[[nodiscard]] inline bool is_comparison(Binary op) { return op >= Binary::eq && op <= Binary::ge; }

/// Why elements of `dtype` do not have this operation, or nullptr.
[[nodiscard]] const char *binary_fault(Binary op, DType dtype);
[[nodiscard]] const char *unary_fault(Unary op, DType dtype);

/// The op; both values have one type, whose elements are of `dtype`. A comparison gives i1.
[[nodiscard]] mlir::Value emit_binary(mlir::OpBuilder &builder, mlir::Location location, Binary op, DType dtype,
                                      mlir::Value a, mlir::Value b);
[[nodiscard]] mlir::Value emit_unary(mlir::OpBuilder &builder, mlir::Location location, Unary op, DType dtype,
                                     mlir::Value a);
/// From elements of `from` to elements of `to`, which `type` holds. `from` may be an index (as s64 of MLIR's index
/// type).
[[nodiscard]] mlir::Value emit_cast(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value, DType from,
                                    DType to, mlir::Type type);

} // namespace tegula::dsl
