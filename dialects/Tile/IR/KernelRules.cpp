// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of tile.kernel: its arguments, its roles, and who produces and consumes its rings.

#include "dialects/Tile/IR/TileDialect.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tegula::tile {

static bool isIdentifier(StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

static LogicalResult verifyNames(KernelOp op) {
  unsigned count = op.getBody()->getNumArguments();
  if (op.getArgNames().size() != count || op.getMinAlign().size() != count ||
      (op.getArgDtypes() && op.getArgDtypes()->size() != count)) // kernel K1
    return op.emitOpError() << "K1: there are " << count << " arguments, " << op.getArgNames().size() << " names and "
                            << op.getMinAlign().size() << " alignments; each argument must have one of each";
  llvm::StringSet<> seen;
  for (auto name : op.getArgNames().getAsRange<StringAttr>())
    if (!isIdentifier(name) || !seen.insert(name.getValue()).second) // kernel K1
      return op.emitOpError() << "K1: argument name " << name << " is no identifier or is used twice";
  return success();
}

static LogicalResult verifyOrder(KernelOp op) {
  int previous = 0;
  for (BlockArgument argument : op.getBody()->getArguments()) {
    Type type = argument.getType();
    int kind = isa<GlobalType>(type) ? 0 : type.isIndex() ? 1 : type.isIntOrFloat() ? 2 : -1;
    if (kind < previous) // kernel K2
      return op.emitOpError() << "K2: argument '" << op.getArgName(argument.getArgNumber()) << "' is " << type
                              << "; arguments must be globals, then index, then scalars";
    previous = kind;
  }
  return success();
}

static LogicalResult verifyExtent(KernelOp op, StringRef global, Attribute extent, int64_t shape) {
  if (auto name = dyn_cast<StringAttr>(extent)) {
    int64_t index = op.getArgIndex(name);
    bool isExtent = index >= 0 && op.getBody()->getArgument(index).getType().isIndex();
    if (!isExtent || !ShapedType::isDynamic(shape)) // kernel K3
      return op.emitOpError() << "K3: an extent of '" << global << "' is " << name
                              << "; it must name an index argument, and the type must leave it open";
    return success();
  }
  auto constant = dyn_cast<IntegerAttr>(extent);
  if (!constant || constant.getInt() < 1 || (!ShapedType::isDynamic(shape) && shape != constant.getInt())) // kernel K3
    return op.emitOpError() << "K3: an extent of '" << global << "' is " << extent
                            << "; it must be a name or a positive constant that agrees with the type";
  return success();
}

static LogicalResult verifyGlobals(KernelOp op) {
  unsigned position = 0;
  for (BlockArgument argument : op.getBody()->getArguments()) {
    StringRef name = op.getArgName(argument.getArgNumber());
    int64_t align = op.getArgAlign(argument.getArgNumber());
    auto type = dyn_cast<GlobalType>(argument.getType());
    if (!type) {
      if (argument.getType().isIndex() ? align < 1 : align != 0) // kernel K4
        return op.emitOpError() << "K4: argument '" << name << "' is no global and promises " << align;
      continue;
    }
    if (align < type.getElementBytes() || align > 256 || (align & (align - 1))) // kernel K4
      return op.emitOpError() << "K4: alignment of '" << name << "' is " << align
                              << "; it must be a power of two from the element's " << type.getElementBytes()
                              << " bytes to 256";
    ArrayAttr dims = position < op.getGlobalDims().size() ? cast<ArrayAttr>(op.getGlobalDims()[position]) : ArrayAttr();
    if (!dims || static_cast<int64_t>(dims.size()) != type.getRank()) // kernel K3
      return op.emitOpError() << "K3: '" << name << "' has rank " << type.getRank() << " and "
                              << (dims ? dims.size() : 0) << " extents";
    for (auto [extent, shape] : llvm::zip_equal(dims, type.getShape()))
      if (failed(verifyExtent(op, name, extent, shape)))
        return failure();
    ++position;
  }
  return success();
}

LogicalResult KernelOp::verify() {
  if (failed(verifyNames(*this)) || failed(verifyOrder(*this)) || failed(verifyGlobals(*this)))
    return failure();
  ArrayRef<int64_t> cluster = getCluster();
  int64_t blocks = 1;
  for (int64_t extent : cluster)
    blocks *= extent < 1 ? 17 : extent;
  if (cluster.size() != 3 || blocks > 16) // kernel K5
    return emitOpError() << "K5: cluster is [" << cluster
                         << "]; it must have three positive extents of product at most 16";
  return success();
}

/// Ops that only a role may hold, where there are roles.
static bool touchesMemory(Operation *op) {
  return isa<ForTilesOp, ProduceOp, ConsumeOp, CopyOp, LoadOp, StoreOp, MmaOp, TurnOp>(op);
}

static LogicalResult verifyRoles(KernelOp op) {
  llvm::StringMap<RoleOp> roles;
  int64_t warps = 0;
  for (RoleOp role : op.getBody()->getOps<RoleOp>()) {
    auto [other, fresh] = roles.try_emplace(role.getName(), role);
    if (!fresh) { // kernel K6
      InFlightDiagnostic error = role.emitOpError() << "K6: a role named " << role.getNameAttr() << " exists";
      error.attachNote(other->second.getLoc()) << "it is here";
      return error;
    }
    warps += role.getTotalWarps();
  }
  if (warps > 32) // kernel K6
    return op.emitOpError() << "K6: the roles have " << warps << " warps; a block has at most 32 (1024 threads)";
  if (roles.empty())
    return success();
  for (Operation &outside : *op.getBody()) {
    if (isa<RoleOp>(outside))
      continue;
    WalkResult result = outside.walk([](Operation *inner) {
      if (!touchesMemory(inner))
        return WalkResult::advance();
      inner->emitOpError() << "K7: stands outside the roles; a kernel with roles does its work in them";
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted()) // kernel K7
      return failure();
  }
  return success();
}

/// Who uses a ring in one direction.
struct RingSide {
  SmallVector<Operation *> ops;
  bool allConditional() const {
    return llvm::all_of(ops, [](Operation *op) { return op->getParentOfType<scf::IfOp>() != nullptr; });
  }
};

static LogicalResult verifyBalance(RingOp ring, const RingSide &produces, const RingSide &consumes) {
  if (produces.allConditional() == consumes.allConditional())
    return success();
  bool producer = produces.allConditional();
  Operation *under = (producer ? produces : consumes).ops.front();
  Operation *free = (producer ? consumes : produces).ops.front();
  InFlightDiagnostic error = under->emitOpError() // kernel K9
                             << "K9: stands under a condition, its counterpart does not; one would wait for what the "
                                "other skips";
  error.attachNote(free->getLoc()) << "the counterpart is here; put it under the same condition";
  error.attachNote(ring.getLoc()) << "the ring is here";
  return error;
}

static LogicalResult verifyRing(RingOp ring) {
  RingSide produces, consumes;
  for (Operation *user : ring.getResult().getUsers())
    (isa<ProduceOp>(user) ? produces : consumes).ops.push_back(user);
  if (produces.ops.empty() && consumes.ops.empty())
    return success();
  if (produces.ops.empty() || consumes.ops.empty()) // kernel K8
    return ring.emitOpError() << "K8: the ring is " << (produces.ops.empty() ? "consumed" : "produced") << " but never "
                              << (produces.ops.empty() ? "produced" : "consumed") << "; the kernel would hang";
  Operation *first = produces.ops.front();
  for (Operation *produce : produces.ops) {
    auto role = first->getParentOfType<RoleOp>(), other = produce->getParentOfType<RoleOp>();
    if (role == other)
      continue;
    InFlightDiagnostic error = produce->emitOpError() // kernel K8
                               << "K8: the ring is produced in two roles; give each role a ring of its own";
    error.attachNote(first->getLoc()) << "the other produce is here";
    return error;
  }
  return verifyBalance(ring, produces, consumes);
}

LogicalResult KernelOp::verifyRegions() {
  if (failed(verifyRoles(*this)))
    return failure();
  for (RingOp ring : getBody()->getOps<RingOp>())
    if (failed(verifyRing(ring)))
      return failure();
  return success();
}

} // namespace tegula::tile
