// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// warp-assign-shared-layouts: one layout for each tile in shared memory, chosen to suit all its uses.

#include "dialects/Warp/Transforms/Passes.h"

#include "llvm/ADT/STLExtras.h"

namespace tegula::warp {
#define GEN_PASS_DEF_WARPASSIGNSHAREDLAYOUTS
#include "dialects/Warp/Transforms/Passes.h.inc"
} // namespace tegula::warp

using namespace mlir;
using namespace tegula;
using namespace tegula::warp;

namespace {

/// What the users of a tile ask of its layout.
struct Demands {
  int unitDim = -1;   // of the tensor that it is copied from or to
  bool async = false; // a tensor core or TMA touches it
};

/// The dim of stride 1 of a view in global memory; -1 when unknown.
int globalUnitDim(Value view) {
  if (auto slice = view.getDefiningOp<tile::SliceOp>()) {
    auto global = slice.getSource().getType();
    int dropped = global.getRank() - slice.getResult().getType().getRank();
    return global.getUnitDim() - dropped;
  }
  if (auto subview = view.getDefiningOp<tile::SubviewOp>())
    return globalUnitDim(subview.getSource());
  if (auto transpose = view.getDefiningOp<tile::TransposeOp>()) {
    int inner = globalUnitDim(transpose.getSource());
    for (auto [dim, from] : llvm::enumerate(transpose.getPermutation()))
      if (from == inner)
        return static_cast<int>(dim);
  }
  return -1;
}

/// Adds what the users of `view`, and of its views, demand. `toTile[d]` is the tile's dim that is dim `d` of `view`.
void collectDemands(Value view, ArrayRef<int64_t> toTile, Demands &demands) {
  auto noteCopy = [&](Value other) {
    int unit = globalUnitDim(other);
    if (unit < 0 || !cast<tile::ViewType>(other.getType()).isGlobal())
      return;
    demands.unitDim = static_cast<int>(toTile[unit]);
    demands.async = true;
  };
  for (Operation *user : view.getUsers()) {
    if (auto copy = dyn_cast<tile::CopyOp>(user))
      noteCopy(copy.getSource() == view ? copy.getDestination() : copy.getSource());
    else if (isa<tile::MmaOp>(user))
      demands.async = true;
    else if (auto subview = dyn_cast<tile::SubviewOp>(user))
      collectDemands(subview.getResult(), toTile, demands);
    else if (auto transpose = dyn_cast<tile::TransposeOp>(user)) {
      SmallVector<int64_t> dims;
      for (int64_t from : transpose.getPermutation())
        dims.push_back(toTile[from]);
      collectDemands(transpose.getResult(), dims, demands);
    }
  }
}

SmallVector<int64_t> identity(int64_t rank) { return llvm::to_vector(llvm::seq<int64_t>(0, rank)); }

/// Banks are 4 bytes wide: one more word a row moves each row to the next bank.
constexpr int64_t kConflictPadding = 4;

layout::SharedLayout chooseLayout(tile::ViewType view, const Demands &demands, std::optional<int64_t> padding) {
  layout::Shape shape(view.getShape().begin(), view.getShape().end());
  int64_t bytes = elementBytes(view.getElementType());
  int unit = demands.unitDim >= 0 ? demands.unitDim : static_cast<int>(shape.size()) - 1;
  if (padding)
    return layout::SharedLayout::plain(shape, unit, bytes, *padding * bytes);
  if (demands.async)
    return layout::SharedLayout::best(shape, unit, bytes);
  bool conflicts = shape.size() > 1 && shape[unit] * bytes % 128 == 0;
  return layout::SharedLayout::plain(shape, unit, bytes, conflicts ? kConflictPadding : 0);
}

struct AssignSharedLayouts : tegula::warp::impl::WarpAssignSharedLayoutsBase<AssignSharedLayouts> {
  void runOnOperation() override {
    getOperation().walk([&](tile::RingOp ring) { assignRing(ring); });
    getOperation().walk([&](tile::AllocOp alloc) { assignAlloc(alloc); });
    WalkResult result = getOperation().walk([&](Operation *op) { return propagate(op); });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  void assignRing(tile::RingOp ring) {
    auto type = ring.getResult().getType();
    SmallVector<Demands> demands(type.getSlots().size());
    auto slotOps = llvm::make_filter_range(ring.getResult().getUsers(),
                                           [](Operation *user) { return isa<tile::ProduceOp, tile::ConsumeOp>(user); });
    for (Operation *user : slotOps)
      for (auto [slot, demand] : llvm::zip(user->getResults(), demands))
        collectDemands(slot, identity(cast<tile::ViewType>(slot.getType()).getRank()), demand);
    SmallVector<Type> slots;
    for (auto [slot, demand] : llvm::zip(type.getSlots(), demands)) {
      auto view = cast<tile::ViewType>(slot);
      slots.push_back(withLayout(view, chooseLayout(view, demand, std::nullopt)));
    }
    ring.getResult().setType(tile::RingType::get(type.getContext(), type.getStages(), slots));
    for (Operation *user : slotOps)
      for (auto [value, slot] : llvm::zip(user->getResults(), slots))
        value.setType(slot);
  }

  void assignAlloc(tile::AllocOp alloc) {
    tile::ViewType view = alloc.getResult().getType();
    Demands demands;
    collectDemands(alloc.getResult(), identity(view.getRank()), demands);
    alloc.getResult().setType(withLayout(view, chooseLayout(view, demands, alloc.getPadding())));
  }

  /// Gives views of shared views the layout that follows from their source's.
  WalkResult propagate(Operation *op) {
    if (!isa<tile::SubviewOp, tile::TransposeOp>(op))
      return WalkResult::advance();
    auto source = dyn_cast<tile::ViewType>(op->getOperand(0).getType());
    if (!source || !source.isShared())
      return WalkResult::advance();
    auto view = cast<tile::ViewType>(op->getResult(0).getType());
    if (isa<tile::TransposeOp>(op)) {
      op->getResult(0).setType(withLayout(view, layoutOf(source).transpose()));
      return WalkResult::advance();
    }
    layout::Shape shape(view.getShape().begin(), view.getShape().end());
    auto part = layoutOf(source).view(shape, layout::Coordinates(source.getRank(), 0));
    if (!part) {
      op->emitOpError("takes a part that the layout of the whole cannot give: ") << part.reason();
      return WalkResult::interrupt();
    }
    op->getResult(0).setType(withLayout(view, part->layout));
    return WalkResult::advance();
  }
};

} // namespace
