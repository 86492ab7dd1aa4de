// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What happens to register tiles within and between threads: splats, index tiles, reductions, broadcasts, respreads.

#include "dialects/Warp/IR/Pieces.h"
#include "dialects/WarpToNV/Lowerings.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tegula;

namespace {

Value axisIndex(Emitter &e, layout::Axis axis) { return axis == layout::Axis::lane ? e.role.lane : e.role.warp; }

/// index / divisor % modulus
Value digit(Emitter &e, const layout::ThreadTerm &term) {
  Value value = axisIndex(e, term.axis);
  if (term.divisor != 1)
    value = arith::DivUIOp::create(e.b, value, e.i32(term.divisor));
  if (term.modulus != 0)
    value = arith::RemUIOp::create(e.b, value, e.i32(term.modulus));
  return value;
}

Value combine(Emitter &e, tile::ReduceKind kind, Value x, Value y) {
  bool integer = isa<IntegerType>(x.getType());
  switch (kind) {
  case tile::ReduceKind::add:
    return integer ? arith::AddIOp::create(e.b, x, y).getResult() : arith::AddFOp::create(e.b, x, y).getResult();
  case tile::ReduceKind::max:
    return integer ? arith::MaxSIOp::create(e.b, x, y).getResult() : arith::MaximumFOp::create(e.b, x, y).getResult();
  case tile::ReduceKind::min:
    return integer ? arith::MinSIOp::create(e.b, x, y).getResult() : arith::MinimumFOp::create(e.b, x, y).getResult();
  }
  llvm_unreachable("all kinds are listed");
}

Value permuteRegisters(Emitter &e, Value vector, ArrayRef<int64_t> from) {
  SmallVector<Value> elements;
  for (int64_t index : from)
    elements.push_back(e.element(vector, index));
  return e.vectorOf(elements);
}

} // namespace

SmallVector<Value> tegula::threadCoordinates(Emitter &e, ArrayRef<layout::ThreadTerm> terms, int rank) {
  SmallVector<Value> sums(static_cast<size_t>(rank));
  for (const layout::ThreadTerm &term : terms) {
    Value part = digit(e, term);
    if (term.stride != 1)
      part = e.mul(part, e.i32(term.stride));
    Value &sum = sums[static_cast<size_t>(term.dim)];
    sum = sum ? e.add(sum, part) : part;
  }
  for (Value &sum : sums)
    if (!sum)
      sum = e.i32(0);
  return sums;
}

Value tegula::firstReplica(Emitter &e, const layout::Fragment &fragment) {
  Value first;
  for (const layout::ThreadTerm &term : fragment.replica_terms()) {
    if (term.axis == layout::Axis::reg)
      continue;
    first = e.both(first, arith::CmpIOp::create(e.b, arith::CmpIPredicate::eq, digit(e, term), e.i32(0)));
  }
  return first;
}

LogicalResult tegula::emitSplat(Emitter &e, tile::SplatOp op) {
  Type type = e.convert(op.getResult().getType());
  e.bind(op.getResult(), vector::BroadcastOp::create(e.b, type, e.lookup(op.getScalar())));
  return success();
}

LogicalResult tegula::emitIota(Emitter &e, tile::IotaOp op) {
  layout::Fragment fragment = warp::fragmentOf(op.getResult());
  auto type = cast<VectorType>(e.convert(op.getResult().getType()));
  auto dim = static_cast<size_t>(op.getDim());
  Value base = threadCoordinates(e, fragment.thread_terms(), fragment.rank())[dim];
  if (type.getElementType().isInteger(64))
    base = e.asI64(base);
  SmallVector<Value> elements;
  for (int64_t reg = 0; reg < fragment.registers(); ++reg) {
    int64_t offset = fragment.register_offset(reg)[dim];
    Value step = type.getElementType().isInteger(64) ? e.i64(offset) : e.i32(offset);
    elements.push_back(e.add(base, step));
  }
  e.bind(op.getResult(), e.vectorOf(elements));
  return success();
}

LogicalResult tegula::emitReduce(Emitter &e, tile::ReduceOp op) {
  layout::Fragment fragment = warp::fragmentOf(op.getSource());
  layout::ReductionPlan plan = layout::reduction_plan(fragment, static_cast<int>(op.getDim()));
  if (plan.across_warps())
    return op.emitOpError("reduces a dim that is spread over several warps; warp-assign-fragments leaves no such tile");
  Value source = e.lookup(op.getSource());
  SmallVector<Value> results;
  for (const std::vector<int64_t> &fold : plan.folds) {
    Value sum = e.element(source, fold.front());
    for (int64_t reg : llvm::drop_begin(fold))
      sum = combine(e, op.getKind(), sum, e.element(source, reg));
    for (int mask : plan.lane_masks)
      sum = combine(e, op.getKind(), sum, nv::ShuffleXorOp::create(e.b, sum.getType(), sum, mask));
    results.push_back(sum);
  }
  Value vector = e.vectorOf(results);
  // The plan's result and the type's fragment mean the same; their registers may stand in another order.
  auto order = layout::register_map(plan.result, warp::fragmentOf(op.getResult()));
  e.bind(op.getResult(), order ? permuteRegisters(e, vector, *order) : vector);
  return success();
}

LogicalResult tegula::emitBroadcast(Emitter &e, tile::BroadcastOp op) {
  layout::Fragment whole = warp::fragmentOf(op.getResult());
  auto dim = static_cast<int>(op.getDim());
  auto order = layout::register_map(warp::fragmentOf(op.getSource()), whole.slice(dim));
  if (!order)
    return op.emitOpError("repeats a tile whose threads do not hold what they need");
  Value source = e.lookup(op.getSource());
  SmallVector<Value> elements;
  for (int64_t reg = 0; reg < whole.registers(); ++reg)
    elements.push_back(e.element(source, (*order)[static_cast<size_t>(whole.sliced_register(dim, reg))]));
  e.bind(op.getResult(), e.vectorOf(elements));
  return success();
}

LogicalResult tegula::emitTranspose(Emitter &e, tile::TransposeOp op) {
  Value source = e.lookup(op.getSource());
  if (isa<tile::ViewType>(op.getResult().getType())) {
    e.bind(op.getResult(), source);
    return success();
  }
  std::vector<int> dims(op.getPermutation().begin(), op.getPermutation().end());
  auto order = layout::register_map(warp::fragmentOf(op.getSource()).permute(dims), warp::fragmentOf(op.getResult()));
  e.bind(op.getResult(), permuteRegisters(e, source, *order));
  return success();
}

LogicalResult tegula::emitConvertLayout(Emitter &e, warp::ConvertLayoutOp op) {
  auto order = layout::register_map(warp::fragmentOf(op.getSource()), warp::fragmentOf(op.getResult()));
  if (!order)
    return op.emitOpError("needs shared memory, which convert-tile-to-warp gives");
  e.bind(op.getResult(), permuteRegisters(e, e.lookup(op.getSource()), *order));
  return success();
}

LogicalResult tegula::emitPiece(Emitter &e, warp::PieceOp op) {
  layout::Fragment whole = warp::fragmentOf(op.getSource());
  auto count = static_cast<int64_t>(op.getCount());
  auto dim = static_cast<int>(op.getDim());
  if (!warp::canCut(whole, count, dim))
    return op.emitOpError("P1: registers alone do not tell the parts apart");
  auto from = warp::registersOfPiece(whole, static_cast<int64_t>(op.getIndex()), count, dim);
  e.bind(op.getResult(), permuteRegisters(e, e.lookup(op.getSource()), from));
  return success();
}
