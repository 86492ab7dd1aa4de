// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers to a tensor by TMA: each piece of the tile goes to a buffer of the staging tile and from there on by one
// thread. A buffer is written again when that thread's copies out of it have been read (cp.async.bulk.wait_group.read).

#include "dialects/Warp/IR/Pieces.h"
#include "dialects/WarpToNV/Lowerings.h"
#include "dialects/WarpToNV/TmaCoordinates.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tegula;

namespace {

class TmaStoreEmission {
public:
  TmaStoreEmission(Emitter &e, warp::TmaStoreOp op)
      : e(e), op(op), use(e.maps.use(op)), whole(warp::fragmentOf(op.getValue())),
        stacked(warp::layoutOf(op.getStaging().getType())), piece(stacked), buffers(stacked.shape.front()) {
    piece.shape.erase(piece.shape.begin());
    piece.unit_dim -= 1;
    piece.matrix_bytes = 0;
    cut = whole.shape()[0] == piece.shape[0] ? 1 : 0;
    pieces = whole.shape()[cut] / piece.shape[cut];
    fragment = warp::pieceOf(whole, pieces, cut);
  }

  LogicalResult run() {
    e.role.storesByTma = true;
    for (Value offset : op.getOffsets())
      offsets.push_back(e.asI32(e.lookup(offset)));
    for (int64_t index = 0; index < pieces; ++index)
      storePiece(index, registersOf(index));
    return success();
  }

private:
  /// The registers of one piece, in the order of its fragment.
  Value registersOf(int64_t index) {
    Value value = e.lookup(op.getValue());
    SmallVector<Value> elements;
    for (int64_t reg : warp::registersOfPiece(whole, index, pieces, cut))
      elements.push_back(e.element(value, reg));
    return e.vectorOf(elements);
  }

  void storePiece(int64_t index, Value part) {
    int64_t buffer = index % buffers;
    Value base = e.lookup(op.getStaging());
    if (buffer != 0)
      base = nv::OffsetOp::create(e.b, base, e.i32(buffer * stacked.matrix_bytes));
    e.when(e.role.leader, [&] { nv::BulkWaitOp::create(e.b, static_cast<int32_t>(buffers - 1), true); });
    e.syncInstance();
    storeShared(e, part, fragment, piece, base);
    nv::FenceProxyAsyncOp::create(e.b);
    e.syncInstance();
    e.when(e.role.leader, [&] { copyOut(index, base); });
  }

  void copyOut(int64_t index, Value base) {
    Value map = e.target.getBody().getArgument(static_cast<unsigned>(use.map));
    std::optional<nv::L2Policy> cache;
    if (auto hint = op.getCache())
      cache = *hint == tile::CacheHint::evict_first ? nv::L2Policy::evict_first : nv::L2Policy::evict_last;
    for (const layout::BoxCopy &copy : use.plan.copies) {
      layout::Coordinates step = copy.tile_offset;
      step[static_cast<size_t>(cut)] += index * piece.shape[cut];
      SmallVector<Value> coordinates = tmaCoordinates(e, use, op.getDestination(), offsets, step);
      Value source = nv::OffsetOp::create(e.b, base, e.i32(copy.shared_offset));
      if (op.getAccumulate())
        nv::TmaReduceOp::create(e.b, nv::ReduceKind::add, map, coordinates, source, Value(), cache);
      else
        nv::TmaStoreOp::create(e.b, map, coordinates, source, Value(), cache);
    }
    nv::BulkCommitOp::create(e.b);
  }

  Emitter &e;
  warp::TmaStoreOp op;
  const TmaUse &use;
  layout::Fragment whole, fragment;
  layout::SharedLayout stacked, piece;
  int64_t buffers;
  int64_t pieces = 1;
  int cut = 1; // the tile's dim along which it is cut into pieces
  SmallVector<Value> offsets;
};

} // namespace

LogicalResult tegula::emitTmaStore(Emitter &e, warp::TmaStoreOp op) { return TmaStoreEmission(e, op).run(); }
