// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers the ops, types and attributes of `nv`.
#include "dialects/NV/IR/NVDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

// The generator names parameters that it doesn't use.
#pragma GCC diagnostic ignored "-Wunused-parameter"

#include "dialects/NV/IR/NVDialect.cpp.inc"
#include "dialects/NV/IR/NVEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/NV/IR/NVAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/NV/IR/NVTypes.cpp.inc"

void tegula::nv::NVDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/NV/IR/NVTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/NV/IR/NVAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/NV/IR/NVOps.cpp.inc"
      >();
}

namespace tegula::nv {

bool isFragment(mlir::Type type) {
  auto vector = llvm::dyn_cast<mlir::VectorType>(type);
  return vector && vector.getRank() == 1 && !vector.isScalable() &&
         llvm::isa<mlir::IntegerType, mlir::FloatType>(vector.getElementType());
}

bool isGlobalPointer(mlir::Type type) {
  auto pointer = llvm::dyn_cast<mlir::LLVM::LLVMPointerType>(type);
  return pointer && pointer.getAddressSpace() == 1;
}

std::optional<int64_t> constantSharedOffset(mlir::Value address) {
  int64_t bytes = 0;
  while (auto offset = address.getDefiningOp<OffsetOp>()) {
    llvm::APInt step;
    if (!mlir::matchPattern(offset.getBytes(), mlir::m_ConstantInt(&step)))
      return std::nullopt;
    bytes += step.getSExtValue();
    address = offset.getBase();
  }
  if (!address.getDefiningOp<SharedBaseOp>())
    return std::nullopt;
  return bytes;
}

} // namespace tegula::nv
