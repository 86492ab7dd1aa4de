// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builders and rules of bulk copies.
#include "dialects/NV/IR/NVDialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

namespace tegula::nv {

// --- builders ---

static L2PolicyAttr policy(mlir::OpBuilder &builder, std::optional<L2Policy> cache) {
  return cache ? L2PolicyAttr::get(builder.getContext(), *cache) : L2PolicyAttr();
}

void TmaLoadOp::build(mlir::OpBuilder &builder, mlir::OperationState &state, mlir::Value map,
                      mlir::ValueRange coordinates, mlir::Value destination, mlir::Value barrier, mlir::Value multicast,
                      mlir::Value predicate, std::optional<L2Policy> cache) {
  build(builder, state, map, coordinates, destination, barrier, multicast, predicate, policy(builder, cache));
}

void TmaStoreOp::build(mlir::OpBuilder &builder, mlir::OperationState &state, mlir::Value map,
                       mlir::ValueRange coordinates, mlir::Value source, mlir::Value predicate,
                       std::optional<L2Policy> cache) {
  build(builder, state, map, coordinates, source, predicate, policy(builder, cache));
}

void TmaReduceOp::build(mlir::OpBuilder &builder, mlir::OperationState &state, ReduceKind kind, mlir::Value map,
                        mlir::ValueRange coordinates, mlir::Value source, mlir::Value predicate,
                        std::optional<L2Policy> cache) {
  build(builder, state, ReduceKindAttr::get(builder.getContext(), kind), map, coordinates, source, predicate,
        policy(builder, cache));
}

void BulkLoadOp::build(mlir::OpBuilder &builder, mlir::OperationState &state, mlir::Value source,
                       mlir::Value destination, mlir::Value barrier, mlir::Value bytes, mlir::Value multicast,
                       mlir::Value predicate, std::optional<L2Policy> cache) {
  build(builder, state, source, destination, barrier, bytes, multicast, predicate, policy(builder, cache));
}

// --- rules ---

static std::optional<int64_t> constantOf(mlir::Value value) {
  llvm::APInt number;
  if (!value || !mlir::matchPattern(value, mlir::m_ConstantInt(&number)))
    return std::nullopt;
  return number.getSExtValue();
}

static mlir::LogicalResult verifyMap(mlir::Operation *op, mlir::Value map) {
  auto argument = llvm::dyn_cast<mlir::BlockArgument>(map);
  bool ofFunction = argument && argument.getOwner()->isEntryBlock() &&
                    llvm::isa_and_present<mlir::FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!ofFunction) // tma T4. PTX ISA 9.0, "tensormap": param, const or global space
    return op->emitOpError("T4: the tensor map is no argument of the kernel; pass it as one");
  return mlir::success();
}

static mlir::LogicalResult verifyBox(mlir::Operation *op, mlir::Value map, mlir::ValueRange coordinates,
                                     mlir::Value shared) {
  if (coordinates.empty() || coordinates.size() > 5) // tma T1. PTX ISA 9.0, cp.async.bulk.tensor
    return op->emitOpError("T1: ") << coordinates.size() << " coordinates; a tensor map has 1 to 5 dimensions";
  if (auto offset = constantSharedOffset(shared); offset && *offset % 128 != 0) // tma T3
    return op->emitOpError("T3: the box lies ") << *offset << " bytes from the base; make it a multiple of 128";
  return verifyMap(op, map);
}

/// Whether a value depends on which thread computes it.
static bool dependsOnThread(mlir::Value value) {
  llvm::SetVector<mlir::Value> work;
  work.insert(value);
  for (unsigned i = 0; i < work.size(); ++i) {
    mlir::Operation *op = work[i].getDefiningOp();
    if (!op) // an argument of a block: unknown, so believed
      return true;
    if (llvm::isa<ElectOp, ThreadIdOp, LaneIdOp, PtxOp>(op) || op->getNumRegions() != 0)
      return true;
    work.insert_range(op->getOperands());
  }
  return false;
}

// tma T5: 32 lanes that all issue make 32 copies, whose bytes complete the barrier's phase early.
static mlir::LogicalResult verifyOneThread(mlir::Operation *op, mlir::Value predicate) {
  if (predicate && dependsOnThread(predicate))
    return mlir::success();
  for (mlir::Operation *at = op; at; at = at->getParentOp()) {
    auto function = llvm::dyn_cast_if_present<mlir::FunctionOpInterface>(at->getParentOp());
    if (function && !at->getBlock()->isEntryBlock())
      return mlir::success(); // already a graph of blocks, whose branches are not looked at
    if (auto branch = llvm::dyn_cast<mlir::scf::IfOp>(at); branch && dependsOnThread(branch.getCondition()))
      return mlir::success();
    if (function)
      break;
  }
  return op->emitOpError("T5: every thread would issue this copy; "
                         "put it under a condition or predicate that comes from nv.elect");
}

static mlir::LogicalResult verifyMask(mlir::Operation *op, mlir::Value mask) {
  if (auto blocks = constantOf(mask); blocks && (*blocks & 0xffff) == 0) // tma T2
    return op->emitOpError("T2: the multicast mask names no block");
  return mlir::success();
}

static mlir::LogicalResult verifyBulkBytes(mlir::Operation *op, mlir::Value value) {
  if (auto bytes = constantOf(value); bytes && (*bytes < 16 || *bytes % 16 != 0)) // bulk U1
    return op->emitOpError("U1: ") << *bytes << " bytes; a bulk copy moves a multiple of 16, at least 16";
  return mlir::success();
}

mlir::LogicalResult TmaLoadOp::verify() {
  return mlir::failure(mlir::failed(verifyBox(*this, getMap(), getCoordinates(), getDestination())) ||
                       mlir::failed(verifyMask(*this, getMulticast())) ||
                       mlir::failed(verifyOneThread(*this, getPredicate())));
}

mlir::LogicalResult TmaStoreOp::verify() {
  return mlir::failure(mlir::failed(verifyBox(*this, getMap(), getCoordinates(), getSource())) ||
                       mlir::failed(verifyOneThread(*this, getPredicate())));
}

mlir::LogicalResult TmaReduceOp::verify() {
  return mlir::failure(mlir::failed(verifyBox(*this, getMap(), getCoordinates(), getSource())) ||
                       mlir::failed(verifyOneThread(*this, getPredicate())));
}

mlir::LogicalResult TmaPrefetchMapOp::verify() { return verifyMap(*this, getMap()); }

mlir::LogicalResult BulkLoadOp::verify() {
  return mlir::failure(mlir::failed(verifyBulkBytes(*this, getBytes())) ||
                       mlir::failed(verifyMask(*this, getMulticast())) ||
                       mlir::failed(verifyOneThread(*this, getPredicate())));
}

mlir::LogicalResult BulkStoreOp::verify() {
  return mlir::failure(mlir::failed(verifyBulkBytes(*this, getBytes())) ||
                       mlir::failed(verifyOneThread(*this, getPredicate())));
}

mlir::LogicalResult BulkWaitOp::verify() {
  if (int32_t pending = getPending(); pending < 0) // bulk U2
    return emitOpError("U2: pending is ") << pending << "; give 0 or more";
  return mlir::success();
}

} // namespace tegula::nv
