// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element types of the DSL as types of MLIR, and shapes as text.
#include "compiler/dsl/element_types.h"

#include "mlir/IR/BuiltinTypes.h"

namespace tegula::dsl {

mlir::Type element_type(mlir::MLIRContext &context, DType dtype) {
  switch (dtype) {
  case i1: return mlir::IntegerType::get(&context, 1);
  case s8:
  case u8:
  case s16:
  case u16:
  case s32:
  case u32:
  case s64:
  case u64: return mlir::IntegerType::get(&context, bits(dtype));
  case e4m3: return mlir::Float8E4M3FNType::get(&context);
  case e5m2: return mlir::Float8E5M2Type::get(&context);
  case fp16: return mlir::Float16Type::get(&context);
  case bf16: return mlir::BFloat16Type::get(&context);
  case tf32:
  case f32: return mlir::Float32Type::get(&context);
  case f64: return mlir::Float64Type::get(&context);
  case ue8m0: return mlir::Float8E8M0FNUType::get(&context);
  case e2m1:
  case e2m3:
  case e3m2: return {};
  }
  return {};
}

std::string Shape::text() const {
  std::string text;
  for (int64_t extent : extents_)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text.empty() ? "scalar" : text;
}

} // namespace tegula::dsl
