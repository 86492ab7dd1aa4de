// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The walk, the small builders, and the ops that need no lowering of their own: arithmetic, loops, conditionals.

#include "dialects/WarpToNV/Emitter.h"
#include "dialects/WarpToNV/Lowerings.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tegula;

Emitter::Emitter(tile::KernelOp kernel, KernelManifest &manifest)
    : kernel(kernel), manifest(manifest), b(kernel.getLoc(), kernel->getContext()) {}

Type Emitter::convert(Type type) {
  if (isa<IndexType>(type))
    return b.getI64Type();
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return VectorType::get(warp::fragmentOf(tensor).registers(), convert(tensor.getElementType()));
  if (isa<tile::ViewType>(type))
    return nv::SharedType::get(b.getContext());
  return type;
}

LogicalResult Emitter::emitBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(emit(&op)))
      return failure();
  return success();
}

LogicalResult Emitter::emit(Operation *op) {
  Location before = b.getLoc();
  b.setLoc(op->getLoc());
  LogicalResult result = llvm::TypeSwitch<Operation *, LogicalResult>(op)
                             .Case([&](scf::ForOp o) { return emitFor(o); })
                             .Case([&](scf::IfOp o) { return emitIf(o); })
                             .Case([&](arith::IndexCastOp o) { return emitCast(o); })
                             .Case([&](arith::ConstantOp o) { return emitConstant(o); })
                             .Case([&](tile::ForTilesOp o) { return emitForTiles(*this, o); })
                             .Case([&](tile::TurnOp o) { return emitTurn(*this, o); })
                             .Case([&](tile::SplatOp o) { return emitSplat(*this, o); })
                             .Case([&](tile::IotaOp o) { return emitIota(*this, o); })
                             .Case([&](tile::ReduceOp o) { return emitReduce(*this, o); })
                             .Case([&](tile::BroadcastOp o) { return emitBroadcast(*this, o); })
                             .Case([&](tile::TransposeOp o) { return emitTranspose(*this, o); })
                             .Case([&](tile::SubviewOp o) { return emitSubview(*this, o); })
                             .Case([&](tile::LoadOp o) { return emitLoadShared(*this, o); })
                             .Case([&](tile::StoreOp o) { return emitStoreShared(*this, o); })
                             .Case([&](tile::GriddepWaitOp) { return nv::GridDepWaitOp::create(b), success(); })
                             .Case([&](tile::GriddepLaunchOp) { return nv::GridDepLaunchOp::create(b), success(); })
                             .Case([&](warp::AcquireOp o) { return emitAcquire(*this, o); })
                             .Case([&](warp::CommitOp o) { return emitCommit(*this, o); })
                             .Case([&](warp::WaitOp o) { return emitWait(*this, o); })
                             .Case([&](warp::ReleaseOp o) { return emitRelease(*this, o); })
                             .Case([&](warp::TmaLoadOp o) { return emitTmaLoad(*this, o); })
                             .Case([&](warp::TmaStoreOp o) { return emitTmaStore(*this, o); })
                             .Case([&](warp::MmaOp o) { return emitMma(*this, o); })
                             .Case([&](warp::MmaWaitOp o) { return emitMmaWait(*this, o); })
                             .Case([&](warp::KeepOp o) { return emitKeep(*this, o); })
                             .Case([&](warp::ConvertLayoutOp o) { return emitConvertLayout(*this, o); })
                             .Case([&](warp::PieceOp o) { return emitPiece(*this, o); })
                             .Case([&](warp::LoadGlobalOp o) { return emitLoadGlobal(*this, o); })
                             .Case([&](warp::StoreGlobalOp o) { return emitStoreGlobal(*this, o); })
                             .Case([&](tile::ReadOp o) { return emitRead(*this, o); })
                             .Case([&](tile::WindowOp o) { return emitWindow(*this, o); })
                             .Case([&](warp::SyncOp) { return syncInstance(), success(); })
                             .Case([&](warp::AllocOp o) {
                               Value base = sharedAt(static_cast<int64_t>(*o.getOffset()));
                               if (o.getPerInstance() && role.op.getInstances() > 1) {
                                 layout::SharedLayout layout = warp::layoutOf(o.getResult().getType());
                                 int64_t bytes = llvm::alignTo(layout.size_bytes(), layout.alignment());
                                 base = nv::OffsetOp::create(b, base, mul(role.instance, i32(bytes)));
                               }
                               bind(o.getResult(), base);
                               return success();
                             })
                             .Case<tile::TilesOp, tile::SliceOp, warp::RingOp>([](Operation *) { return success(); })
                             .Default([&](Operation *o) { return emitGeneric(o); });
  b.setLoc(before);
  return result;
}

/// An op of arith or math on tensors is the same op on vectors, and on indices the same on i64.
LogicalResult Emitter::emitGeneric(Operation *op) {
  if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) || op->getNumRegions() != 0)
    return op->emitOpError("has no lowering to 'nv'");
  OperationState state(op->getLoc(), op->getName());
  for (Value operand : op->getOperands())
    state.addOperands(lookup(operand));
  for (Type type : op->getResultTypes())
    state.addTypes(convert(type));
  state.addAttributes(op->getDiscardableAttrDictionary().getValue());
  Operation *created = b.create(state);
  if (op->getPropertiesStorage())
    created->copyProperties(op->getPropertiesStorage());
  for (auto [from, to] : llvm::zip(op->getResults(), created->getResults()))
    bind(from, to);
  return success();
}

LogicalResult Emitter::emitConstant(arith::ConstantOp op) {
  Type type = convert(op.getType());
  TypedAttr value = op.getValue();
  if (auto integer = dyn_cast<IntegerAttr>(value); integer && isa<IndexType>(op.getType()))
    value = b.getI64IntegerAttr(integer.getInt());
  else if (auto dense = dyn_cast<DenseElementsAttr>(value))
    value = dense.isSplat() ? dense.resizeSplat(cast<VectorType>(type)) : DenseElementsAttr();
  if (!value)
    return op.emitOpError("has different elements; a register tile's constant has one value");
  bind(op.getResult(), arith::ConstantOp::create(b, type, value));
  return success();
}

LogicalResult Emitter::emitCast(arith::IndexCastOp op) {
  Value value = lookup(op.getIn());
  Type to = convert(op.getType());
  unsigned from = getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
  unsigned width = getElementTypeOrSelf(to).getIntOrFloatBitWidth();
  if (from < width)
    value = arith::ExtSIOp::create(b, to, value);
  else if (from > width)
    value = arith::TruncIOp::create(b, to, value);
  bind(op.getResult(), value);
  return success();
}

LogicalResult Emitter::emitFor(scf::ForOp loop) {
  SmallVector<Value> inits;
  for (Value init : loop.getInitArgs())
    inits.push_back(lookup(init));
  auto created =
      scf::ForOp::create(b, lookup(loop.getLowerBound()), lookup(loop.getUpperBound()), lookup(loop.getStep()), inits);
  bind(loop.getInductionVar(), created.getInductionVar());
  for (auto [from, to] : llvm::zip(loop.getRegionIterArgs(), created.getRegionIterArgs()))
    bind(from, to);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(created.getBody());
  if (failed(emitBlock(*loop.getBody())))
    return failure();
  SmallVector<Value> yielded;
  for (Value value : loop.getYieldedValues())
    yielded.push_back(lookup(value));
  if (!created.getBody()->empty() && created.getBody()->back().hasTrait<OpTrait::IsTerminator>())
    created.getBody()->back().erase();
  b.setInsertionPointToEnd(created.getBody());
  scf::YieldOp::create(b, yielded);
  for (auto [from, to] : llvm::zip(loop.getResults(), created.getResults()))
    bind(from, to);
  return success();
}

LogicalResult Emitter::emitIf(scf::IfOp op) {
  SmallVector<Type> types;
  for (Type type : op.getResultTypes())
    types.push_back(convert(type));
  auto created = scf::IfOp::create(b, types, lookup(op.getCondition()), /*addThenBlock=*/true,
                                   /*addElseBlock=*/!op.getElseRegion().empty());
  OpBuilder::InsertionGuard guard(b);
  for (auto [from, to] : llvm::zip(op->getRegions(), created->getRegions())) {
    if (from.empty())
      continue;
    b.setInsertionPointToStart(&to.front());
    if (failed(emitBlock(from.front())))
      return failure();
    SmallVector<Value> yielded;
    for (Value value : from.front().getTerminator()->getOperands())
      yielded.push_back(lookup(value));
    if (!to.front().empty() && to.front().back().hasTrait<OpTrait::IsTerminator>())
      to.front().back().erase();
    b.setInsertionPointToEnd(&to.front());
    scf::YieldOp::create(b, yielded);
  }
  for (auto [from, to] : llvm::zip(op.getResults(), created.getResults()))
    bind(from, to);
  return success();
}

Value Emitter::i1(bool value) { return arith::ConstantOp::create(b, b.getBoolAttr(value)); }
Value Emitter::i32(int64_t value) {
  return arith::ConstantOp::create(b, b.getI32IntegerAttr(static_cast<int32_t>(value)));
}
Value Emitter::i64(int64_t value) { return arith::ConstantOp::create(b, b.getI64IntegerAttr(value)); }

Value Emitter::asI32(Value value) {
  return value.getType().isInteger(32) ? value : arith::TruncIOp::create(b, b.getI32Type(), value).getResult();
}
Value Emitter::asI64(Value value) {
  return value.getType().isInteger(64) ? value : arith::ExtSIOp::create(b, b.getI64Type(), value).getResult();
}
Value Emitter::add(Value x, Value y) { return b.createOrFold<arith::AddIOp>(x, y); }
Value Emitter::mul(Value x, Value y) { return b.createOrFold<arith::MulIOp>(x, y); }
Value Emitter::both(Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return arith::AndIOp::create(b, x, y);
}
Value Emitter::sharedAt(int64_t byteOffset) {
  return byteOffset == 0 ? sharedBase : nv::OffsetOp::create(b, sharedBase, i32(byteOffset)).getResult();
}
Value Emitter::element(Value vector, int64_t index) { return vector::ExtractOp::create(b, vector, index); }
Value Emitter::vectorOf(ArrayRef<Value> elements) {
  auto type = VectorType::get(static_cast<int64_t>(elements.size()), elements.front().getType());
  return vector::FromElementsOp::create(b, type, elements);
}

void Emitter::when(Value condition, llvm::function_ref<void()> body) {
  if (!condition)
    return body();
  auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

void Emitter::syncInstance() {
  if (role.singleThread)
    return;
  Value id = i32(role.firstBarrier);
  if (role.op.getInstances() > 1)
    id = add(id, role.instance);
  nv::BarrierSyncOp::create(b, id, i32(static_cast<int64_t>(role.op.getWarps()) * 32));
}

Value Emitter::variable(int64_t initial) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&target.getBody().front());
  Value one = i32(1);
  Value slot = LLVM::AllocaOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), b.getI32Type(), one);
  LLVM::StoreOp::create(b, i32(initial), slot);
  return slot;
}

RingState &Emitter::ringState(Value ring) {
  RingState &state = rings[{role.op, ring}];
  if (!state.index)
    state = {variable(0), Value(), variable(0)};
  return state;
}
