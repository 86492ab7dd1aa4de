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
  Value ceilDiv(Value value, int64_t by) {
    return by == 1 ? value : divide(e.add(value, e.i32(by - 1)), e.i32(by));
  }

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
  if (op.getAlternate()) {
    first = e.add(first, e.mul(e.role.instance, step));
    step = e.mul(step, e.i32(static_cast<int64_t>(e.role.op.getInstances())));
  }
  auto loop = scf::ForOp::create(e.b, first, order.total(), step);
  OpBuilder::InsertionGuard guard(e.b);
  e.b.setInsertionPointToStart(loop.getBody());
  return emitTile(e, op, order, loop.getInductionVar());
}

LogicalResult tegula::emitTurn(Emitter &, tile::TurnOp op) {
  return op.emitOpError("has no lowering for this target yet; order the work by the ring instead");
}
