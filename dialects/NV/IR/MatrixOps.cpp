// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules of ldmatrix and stmatrix.
#include "dialects/NV/IR/NVDialect.h"

namespace tegula::nv {

static mlir::LogicalResult verifyMatrices(mlir::Operation *op, mlir::VectorType type) {
  int64_t elements = type.getNumElements();
  bool fits = type.getElementTypeBitWidth() == 16 && (elements == 2 || elements == 4 || elements == 8);
  if (!fits) // matrix M1. PTX ISA 9.0, ldmatrix and stmatrix
    return op->emitOpError("M1: ") << type << "; give 2, 4 or 8 elements of 16 bits, two a matrix";
  return mlir::success();
}

mlir::LogicalResult LdMatrixOp::verify() { return verifyMatrices(*this, getResult().getType()); }
mlir::LogicalResult StMatrixOp::verify() { return verifyMatrices(*this, getValue().getType()); }

} // namespace tegula::nv
