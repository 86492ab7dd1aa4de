// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A fragment seen as the 16-, 32- or 64-bit registers that an instruction takes: elements narrower than 32 bits are
// packed, so eight bf16 are four i32.
#ifndef TEGULA_DIALECTS_NVTOLLVM_REGISTERS_H
#define TEGULA_DIALECTS_NVTOLLVM_REGISTERS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace tegula::nv {

/// The i32 constant `value`.
mlir::Value constantI32(mlir::OpBuilder &builder, mlir::Location loc, int64_t value);

/// The type of one register of `vector`, a vector of an LLVM element type, and how many it fills.
struct RegisterShape {
  mlir::Type type;
  int64_t count;
};
RegisterShape registerShape(mlir::VectorType vector);

/// The elements of a vector; those known from how it was built are not extracted again.
llvm::SmallVector<mlir::Value> elementsOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value vector);

/// The vector of these elements.
mlir::Value vectorOf(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<mlir::Value> elements,
                     mlir::VectorType type);

/// The registers of a vector, and the vector of these registers.
llvm::SmallVector<mlir::Value> unpack(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value vector);
mlir::Value pack(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<mlir::Value> registers,
                 mlir::VectorType type);

} // namespace tegula::nv

#endif // TEGULA_DIALECTS_NVTOLLVM_REGISTERS_H
