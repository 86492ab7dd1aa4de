// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which tiles a block takes, and in which order: clusters share out tiles in turn, the blocks of a cluster take
// neighbours along dim 0; rows of tiles go in groups of `raster`, so that the operands of a wave fit in L2.

#include "dialects/WarpToNV/Lowerings.h"

using namespace mlir;
using namespace tegula;

namespace {

/// The order of tiles: a number of a tile to its coordinates.
class TileOrder {
public:
  TileOrder(Emitter &e, tile::TilesOp tiles) : e(e), raster(static_cast<int64_t>(tiles.getRaster())) {
    blocks = e.kernel.getCluster().front();
    for (Value extent : tiles.getExtents())
      extents.push_back(e.asI32(e.lookup(extent)));
    extents.front() = ceilDiv(extents.front(), blocks);
  }

  /// Tiles in all, counted in clusters.
  Value total() {
    Value product = e.asI64(extents.front());
    for (Value extent : llvm::drop_begin(extents))
      product = e.mul(product, e.asI64(extent));
    return e.asI32(product);
  }

  SmallVector<Value> coordinates(Value number) {
    SmallVector<Value> result;
    Value rest = number;
    if (extents.size() > 2) {
      Value plane = e.mul(extents[0], extents[1]);
      result.push_back(divide(number, plane));
      rest = remainder(number, plane);
    }
    if (extents.size() == 1)
      result.push_back(rest);
    else
      appendPlane(rest, result);
    std::rotate(result.begin(), result.begin() + (extents.size() > 2 ? 1 : 0), result.end());
    if (blocks > 1)
      result.front() = e.add(e.mul(result.front(), e.i32(blocks)), nv::ClusterRankOp::create(e.b));
    return result;
  }

private:
  Value divide(Value a, Value d) { return arith::DivUIOp::create(e.b, a, d); }
  Value remainder(Value a, Value d) { return arith::RemUIOp::create(e.b, a, d); }
  Value ceilDiv(Value value, int64_t by) { return by == 1 ? value : divide(e.add(value, e.i32(by - 1)), e.i32(by)); }

  /// Within groups of `raster` rows (the last may have fewer), rows first.
  void appendPlane(Value number, SmallVector<Value> &result) {
    if (rows() == 1) {
      result.push_back(divide(number, extents[1]));
      result.push_back(remainder(number, extents[1]));
      return;
    }
    Value height = e.i32(rows());
    Value perGroup = e.mul(height, extents[1]);
    Value group = divide(number, perGroup), within = remainder(number, perGroup);
    Value firstRow = e.mul(group, height);
    Value left = arith::SubIOp::create(e.b, extents[0], firstRow);
    Value groupRows = arith::MinUIOp::create(e.b, left, height);
    result.push_back(e.add(firstRow, remainder(within, groupRows)));
    result.push_back(divide(within, groupRows));
  }

  /// Rows of clusters in a group.
  int64_t rows() const { return std::max<int64_t>(1, raster / blocks); }

  Emitter &e;
  int64_t raster;
  int64_t blocks;
  SmallVector<Value> extents;
};

Value remainderOf(Emitter &e, Value value, int64_t by) { return arith::RemUIOp::create(e.b, value, e.i32(by)); }

/// The stages of a ring that one tile takes.
struct TakenStages {
  Value ring;
  Value count; // i32
};

/// Writes out, ahead of the tiles, a value that is the same for all of them. Null when it follows from a tile.
Value evaluate(Emitter &e, Value value, tile::ForTilesOp tiles) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == tiles.getBody() ? Value() : e.lookup(value);
  Operation *op = value.getDefiningOp();
  if (!tiles->isAncestor(op))
    return e.lookup(value);
  if (op->getNumRegions() != 0 || !isa<arith::ArithDialect>(op->getDialect()))
    return Value();
  for (Value operand : op->getOperands())
    if (!evaluate(e, operand, tiles))
      return Value();
  return failed(e.emit(op)) ? Value() : e.lookup(value);
}

/// Trips of the loop around `op` within a tile; 1 without a loop. Null when they are not known before the tile.
Value tripsAround(Emitter &e, Operation *op, tile::ForTilesOp tiles) {
  Value trips = e.i32(1);
  for (Operation *parent = op->getParentOp(); parent != tiles; parent = parent->getParentOp()) {
    if (isa<tile::TurnOp>(parent))
      continue;
    auto loop = dyn_cast<scf::ForOp>(parent);
    if (!loop)
      return Value();
    Value from = evaluate(e, loop.getLowerBound(), tiles), to = evaluate(e, loop.getUpperBound(), tiles);
    Value step = evaluate(e, loop.getStep(), tiles);
    if (!from || !to || !step)
      return Value();
    Value length = arith::MaxSIOp::create(e.b, arith::SubIOp::create(e.b, to, from), e.i64(0));
    trips = e.mul(trips, e.asI32(arith::CeilDivSIOp::create(e.b, length, step)));
  }
  return trips;
}

/// Instances that take tiles in turn pass over the stages that other instances' tiles take, so these have to be known.
LogicalResult stagesOfTile(Emitter &e, tile::ForTilesOp op, SmallVectorImpl<TakenStages> &taken) {
  SmallVector<warp::WaitOp> waits;
  op.walk([&](warp::WaitOp wait) { waits.push_back(wait); });
  for (warp::WaitOp wait : waits) {
    Value trips = tripsAround(e, wait, op);
    if (!trips)
      return wait.emitError("where instances take tiles in turn, every tile takes equally many stages of a ring, known "
                            "before the tile: consume in loops whose bounds do not follow from it");
    auto same = llvm::find_if(taken, [&](TakenStages &other) { return other.ring == wait.getRing(); });
    if (same == taken.end())
      taken.push_back({wait.getRing(), trips});
    else
      same->count = e.add(same->count, trips);
  }
  return success();
}

/// Rounds of `step` tiles: in every other one the last block takes the first tile.
Value turnedRound(Emitter &e, Value number, Value step) {
  Value round = arith::DivUIOp::create(e.b, number, step), first = e.mul(round, step);
  Value within = arith::SubIOp::create(e.b, number, first);
  Value last = arith::SubIOp::create(e.b, step, e.i32(1));
  Value turned = e.add(first, arith::SubIOp::create(e.b, last, within));
  Value odd = arith::TruncIOp::create(e.b, e.b.getI1Type(), round);
  return arith::SelectOp::create(e.b, odd, turned, number);
}

LogicalResult emitTile(Emitter &e, tile::ForTilesOp op, TileOrder &order, Value number) {
  for (auto [argument, coordinate] : llvm::zip(op.getBody()->getArguments(), order.coordinates(number)))
    e.bind(argument, arith::ExtUIOp::create(e.b, e.b.getI64Type(), coordinate));
  return e.emitBlock(*op.getBody());
}

} // namespace

LogicalResult tegula::emitForTiles(Emitter &e, tile::ForTilesOp op) {
  auto tiles = op.getTiles().getDefiningOp<tile::TilesOp>();
  TileOrder order(e, tiles);
  bool clustered = e.kernel.getCluster().front() > 1;
  Value first = clustered ? nv::ClusterIdOp::create(e.b).getResult() : nv::BlockIdOp::create(e.b).getResult();
  if (!tiles.getPersistent())
    return emitTile(e, op, order, first);
  Value step = clustered ? nv::ClusterCountOp::create(e.b).getResult() : nv::GridSizeOp::create(e.b).getResult();
  Value roundStep = step, total = order.total(), end = total;
  if (tiles.getSerpentine()) // the last round may have no tile for a block whose number is below the total
    end = e.mul(arith::CeilDivUIOp::create(e.b, total, step), step);
  SmallVector<TakenStages> taken;
  auto instances = static_cast<int64_t>(e.role.op.getInstances());
  bool inTurn = op.getAlternate() && instances > 1;
  if (inTurn) {
    if (failed(stagesOfTile(e, op, taken)))
      return failure();
    for (TakenStages &stages : taken)
      skipStages(e, stages.ring, e.mul(stages.count, e.role.instance));
    first = e.add(first, e.mul(e.role.instance, step));
    step = e.mul(step, e.i32(instances));
  }
  auto loop = scf::ForOp::create(e.b, first, end, step);
  OpBuilder::InsertionGuard guard(e.b);
  e.b.setInsertionPointToStart(loop.getBody());
  LogicalResult emitted = success();
  if (tiles.getSerpentine()) {
    Value number = turnedRound(e, loop.getInductionVar(), roundStep);
    Value exists = arith::CmpIOp::create(e.b, arith::CmpIPredicate::ult, number, total);
    e.when(exists, [&] { emitted = emitTile(e, op, order, number); });
  } else {
    emitted = emitTile(e, op, order, loop.getInductionVar());
  }
  if (failed(emitted))
    return failure();
  for (TakenStages &stages : taken)
    skipStages(e, stages.ring, e.mul(stages.count, e.i32(instances - 1)));
  return success();
}

/// An instance waits at a barrier of its own for the one before it, and arrives at the next one's behind its turn. The
/// last instance has let the first one pass before the role began (Roles.cpp).
LogicalResult tegula::emitTurn(Emitter &e, tile::TurnOp op) {
  auto instances = static_cast<int64_t>(e.role.op.getInstances());
  Value threads = e.i32(2 * 32 * static_cast<int64_t>(e.role.op.getWarps()));
  Value firstId = e.i32(e.role.turns.lookup(op));
  if (instances > 1)
    nv::BarrierSyncOp::create(e.b, e.add(firstId, e.role.instance), threads);
  if (failed(e.emitBlock(*op.getBody())))
    return failure();
  if (instances > 1) {
    Value next = remainderOf(e, e.add(e.role.instance, e.i32(1)), instances);
    nv::BarrierArriveOp::create(e.b, e.add(firstId, next), threads);
  }
  for (auto [result, value] : llvm::zip(op.getResults(), op.getBody()->getTerminator()->getOperands()))
    e.bind(result, e.lookup(value));
  return success();
}
