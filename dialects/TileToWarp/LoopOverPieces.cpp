// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tile-loop-over-pieces: where tiles are only loaded, computed on element by element and stored, a loop over pieces does
// the work of a large tile with the code and the registers of a small one.

#include "dialects/TileToWarp/TileToWarp.h"

#include "llvm/ADT/SetVector.h"

namespace tegula {
#define GEN_PASS_DEF_TILELOOPOVERPIECES
#include "dialects/TileToWarp/Passes.h.inc"
} // namespace tegula

using namespace mlir;
using namespace tegula;

namespace {

constexpr int64_t kMost = 32;  // elements of a tile that a thread holds at once, beyond which it is cut
constexpr int64_t kPiece = 16; // and what a piece leaves it: enough loads in flight, little code

RankedTensorType tensorOf(Value value) { return dyn_cast<RankedTensorType>(value.getType()); }

/// The slice of a tensor that a load or store goes to, if it is a plain one.
tile::SliceOp sliceOf(Operation *op) {
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return load.getSource().getDefiningOp<tile::SliceOp>();
  return cast<tile::StoreOp>(op).getDestination().getDefiningOp<tile::SliceOp>();
}

/// Ops on tiles of one shape that feed each other and nobody else.
class Group {
public:
  explicit Group(tile::StoreOp store) : shape(tensorOf(store->getOperand(0)).getShape()), sound(true) { add(store); }

  bool isSound() const { return sound; }
  int64_t elements() const { return ShapedType::getNumElements(shape); }
  ArrayRef<int64_t> tileShape() const { return shape; }

  /// In program order, if no other op between them touches memory.
  FailureOr<SmallVector<Operation *>> ordered() {
    SmallVector<Operation *> sorted(ops.begin(), ops.end());
    llvm::sort(sorted, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    for (Operation *op = sorted.front(); op != sorted.back(); op = op->getNextNode())
      if (!ops.contains(op) && !isMemoryEffectFree(op))
        return failure();
    return sorted;
  }

private:
  void add(Operation *op) {
    if (!sound || !ops.insert(op))
      return;
    sound = op->getBlock() == ops.front()->getBlock() && isAllowed(op);
    for (Value operand : op->getOperands())
      if (tensorOf(operand))
        addDefinition(operand);
    for (Value result : op->getResults())
      for (Operation *user : result.getUsers())
        add(user);
  }

  void addDefinition(Value value) {
    if (Operation *op = value.getDefiningOp())
      return add(op);
    sound = false;
  }

  bool isAllowed(Operation *op) {
    auto sameShape = [&](Value value) { return !tensorOf(value) || tensorOf(value).getShape() == shape; };
    if (!llvm::all_of(op->getOperands(), sameShape) || !llvm::all_of(op->getResults(), sameShape))
      return false;
    if (isa<tile::LoadOp, tile::StoreOp>(op))
      return sliceOf(op) != nullptr;
    if (isa<tile::SplatOp, tile::IotaOp>(op))
      return true;
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      return isa<SplatElementsAttr>(constant.getValue());
    return isa<arith::ArithDialect, math::MathDialect>(op->getDialect());
  }

  ArrayRef<int64_t> shape;
  bool sound;
  llvm::SetVector<Operation *> ops;
};

/// The loop that takes the place of a group: pieces of `extent` along dim 0.
class PieceLoop {
public:
  PieceLoop(ArrayRef<Operation *> ops, ArrayRef<int64_t> shape, int64_t pieces)
      : ops(ops), builder(ops.back()), loc(ops.back()->getLoc()), piece(shape), pieces(pieces) {
    piece.front() /= pieces;
  }

  void build() {
    auto index = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(builder, loc, value); };
    Value height = index(piece.front());
    auto loop = scf::ForOp::create(builder, loc, index(0), index(pieces), index(1));
    builder.setInsertionPointToStart(loop.getBody());
    first = arith::MulIOp::create(builder, loc, loop.getInductionVar(), height);
    for (Operation *op : ops)
      cloneFor(op);
    for (Operation *op : llvm::reverse(ops))
      op->erase();
  }

private:
  void cloneFor(Operation *op) {
    if (isa<tile::LoadOp, tile::StoreOp>(op))
      mapSlice(sliceOf(op));
    Operation *copy = builder.clone(*op, values);
    for (Value result : copy->getResults())
      if (auto type = tensorOf(result))
        result.setType(RankedTensorType::get(piece, type.getElementType()));
    if (auto constant = dyn_cast<arith::ConstantOp>(copy))
      constant.setValueAttr(
          cast<DenseElementsAttr>(constant.getValue()).resizeSplat(cast<ShapedType>(constant.getType())));
    if (auto iota = dyn_cast<tile::IotaOp>(copy); iota && iota.getDim() == 0)
      values.map(op->getResult(0), shifted(iota));
  }

  /// The piece's part of a slice.
  void mapSlice(tile::SliceOp slice) {
    auto type = slice.getType();
    SmallVector<Value> offsets(slice.getOffsets());
    Value &offset = offsets[offsets.size() - piece.size()];
    offset = arith::AddIOp::create(builder, loc, offset, first);
    auto view = tile::ViewType::get(piece, type.getElementType(), type.getSpace());
    values.map(slice.getResult(), tile::SliceOp::create(builder, slice.getLoc(), view, slice.getSource(), offsets));
  }

  Value shifted(tile::IotaOp iota) {
    auto type = tensorOf(iota.getResult());
    Value start = arith::IndexCastOp::create(builder, loc, type.getElementType(), first);
    return arith::AddIOp::create(builder, loc, iota, tile::SplatOp::create(builder, loc, type, start));
  }

  ArrayRef<Operation *> ops;
  OpBuilder builder;
  Location loc;
  SmallVector<int64_t> piece;
  int64_t pieces;
  Value first; // row of the tile at which the piece begins
  IRMapping values;
};

/// How many pieces leave each thread at most kPiece elements; 1 where rows do not divide so.
int64_t piecesOf(ArrayRef<int64_t> shape, int64_t threads) {
  int64_t elements = ShapedType::getNumElements(shape);
  if (elements <= kMost * threads)
    return 1;
  for (int64_t pieces = llvm::divideCeil(elements, kPiece * threads); pieces <= shape.front(); ++pieces)
    if (shape.front() % pieces == 0)
      return pieces;
  return 1;
}

struct LoopOverPieces : tegula::impl::TileLoopOverPiecesBase<LoopOverPieces> {
  void runOnOperation() override {
    SmallVector<tile::StoreOp> stores;
    getOperation().walk([&](tile::StoreOp store) { stores.push_back(store); });
    llvm::SmallPtrSet<Operation *, 8> gone;
    for (tile::StoreOp store : stores)
      if (!gone.contains(store))
        cut(store, gone);
  }

  static void cut(tile::StoreOp store, llvm::SmallPtrSetImpl<Operation *> &gone) {
    Group group(store);
    if (!group.isSound())
      return;
    int64_t threads = 32 * static_cast<int64_t>(store->getParentOfType<tile::RoleOp>().getWarps());
    int64_t pieces = piecesOf(group.tileShape(), threads);
    FailureOr<SmallVector<Operation *>> ops = group.ordered();
    if (pieces == 1 || failed(ops))
      return;
    gone.insert(ops->begin(), ops->end());
    SmallVector<int64_t> shape(group.tileShape());
    PieceLoop(*ops, shape, pieces).build();
  }
};

} // namespace
