// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builders, folds and rules of plain memory access.
#include "dialects/NV/IR/NVAssembly.h"
#include "dialects/NV/IR/NVDialect.h"

#include "mlir/IR/Matchers.h"

namespace tegula::nv {

// --- assembly ---

mlir::ParseResult parseOtherType(mlir::OpAsmParser &, const std::optional<mlir::OpAsmParser::UnresolvedOperand> &other,
                                 mlir::Type result, mlir::Type &type) {
  if (other)
    type = result;
  return mlir::success();
}

void printOtherType(mlir::OpAsmPrinter &, mlir::Operation *, mlir::Value, mlir::Type, mlir::Type) {}

// --- builders ---

void LdGlobalOp::build(mlir::OpBuilder &builder, mlir::OperationState &state, mlir::Type result, mlir::Value pointer,
                       mlir::Value predicate) {
  build(builder, state, result, pointer, predicate, /*other=*/{}, Access::weak);
}

void StGlobalOp::build(mlir::OpBuilder &builder, mlir::OperationState &state, mlir::Value pointer, mlir::Value value) {
  build(builder, state, pointer, value, /*predicate=*/{}, Access::weak);
}

void AtomicAddOp::build(mlir::OpBuilder &builder, mlir::OperationState &state, mlir::Value pointer, mlir::Value value,
                        Order order) {
  build(builder, state, value.getType(), pointer, value, order, /*predicate=*/{});
}

// --- folds ---

mlir::OpFoldResult OffsetOp::fold(FoldAdaptor adaptor) {
  auto bytes = llvm::dyn_cast_if_present<mlir::IntegerAttr>(adaptor.getBytes());
  return bytes && bytes.getValue().isZero() ? mlir::OpFoldResult(getBase()) : nullptr;
}

// --- rules ---

static mlir::LogicalResult verifyWidth(mlir::Operation *op, mlir::VectorType type) {
  int64_t bits = type.getNumElements() * type.getElementTypeBitWidth();
  if (!llvm::is_contained({8, 16, 32, 64, 128}, bits)) // memory L1. PTX ISA 9.0, ld and st
    return op->emitOpError("L1: ") << type << " has " << bits
                                   << " bits; one access moves 1, 2, 4, 8 or 16 bytes, so split it";
  return mlir::success();
}

/// Ordered accesses are of one register: PTX has no vector form of ld.acquire that is single-copy atomic.
static bool isOrderable(mlir::VectorType type) {
  return type.getNumElements() == 1 && type.getElementTypeBitWidth() >= 32;
}

mlir::LogicalResult LdSharedOp::verify() { return verifyWidth(*this, getResult().getType()); }
mlir::LogicalResult StSharedOp::verify() { return verifyWidth(*this, getValue().getType()); }

mlir::LogicalResult LdGlobalOp::verify() {
  Access cache = getCache();
  if (cache == Access::release) // memory L2
    return emitOpError("L2: a load can't be a release; give acquire or relaxed");
  bool ordered = cache == Access::relaxed || cache == Access::acquire;
  if (ordered && !isOrderable(getResult().getType())) // memory L2
    return emitOpError("L2: ") << stringifyAccess(cache) << " load of " << getResult().getType()
                               << "; give one element of 32 or 64 bits";
  if (getOther() && (!getPredicate() || getOther().getType() != getResult().getType())) // memory L3
    return emitOpError("L3: `other` is ") << getOther().getType() << "; it comes with a predicate and has the type "
                                          << "of the result, " << getResult().getType();
  return verifyWidth(*this, getResult().getType());
}

mlir::LogicalResult StGlobalOp::verify() {
  Access cache = getCache();
  if (cache == Access::nc || cache == Access::acquire) // memory L4
    return emitOpError("L4: a store can't be ") << stringifyAccess(cache) << "; give weak, relaxed or release";
  bool ordered = cache == Access::relaxed || cache == Access::release;
  if (ordered && !isOrderable(getValue().getType())) // memory L4
    return emitOpError("L4: ") << stringifyAccess(cache) << " store of " << getValue().getType()
                               << "; give one element of 32 or 64 bits";
  return verifyWidth(*this, getValue().getType());
}

mlir::LogicalResult CpAsyncOp::verify() {
  int32_t bytes = getBytes();
  if (bytes != 4 && bytes != 8 && bytes != 16) // cp_async A1. PTX ISA 9.0, cp.async
    return emitOpError("A1: ") << bytes << " bytes; cp.async copies 4, 8 or 16";
  llvm::APInt valid;
  if (getValid() && mlir::matchPattern(getValid(), mlir::m_ConstantInt(&valid)))
    if (valid.isNegative() || valid.sgt(bytes)) // cp_async A2
      return emitOpError("A2: ") << valid.getSExtValue() << " of " << bytes << " bytes are valid; give 0 to " << bytes;
  return mlir::success();
}

mlir::LogicalResult CpAsyncWaitOp::verify() {
  if (int32_t pending = getPending(); pending < 0) // cp_async A3
    return emitOpError("A3: pending is ") << pending << "; give 0 or more";
  return mlir::success();
}

} // namespace tegula::nv
