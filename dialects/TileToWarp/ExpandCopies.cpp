// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tile-expand-copies: which copies are TMA's, and loads and stores of the role's threads for the others.

#include "dialects/TileToWarp/Reach.h"
#include "dialects/TileToWarp/TileToWarp.h"

namespace tegula {
#define GEN_PASS_DEF_TILEEXPANDCOPIES
#include "dialects/TileToWarp/Passes.h.inc"
} // namespace tegula

using namespace mlir;
using namespace tegula;

namespace {

/// The slot of a ring, or a part of it.
bool isInSlot(Value view) {
  while (auto part = view.getDefiningOp<tile::SubviewOp>())
    view = part.getSource();
  return view.getDefiningOp<tile::ProduceOp>() != nullptr;
}

/// Why TMA cannot do the copy; empty when it can.
std::string tmaMisfit(tile::CopyOp copy, std::optional<GlobalTile> source) {
  if (!source)
    return "the source is no plain slice of a tensor";
  if (!isInSlot(copy.getDestination()))
    return "the destination is no slot of a ring";
  return planTmaLoad(*source, warp::layoutOf(copy.getDestination().getType())).reason();
}

struct ExpandCopies : tegula::impl::TileExpandCopiesBase<ExpandCopies> {
  void runOnOperation() override {
    getOperation().walk([&](tile::CopyOp copy) { expand(copy); });
  }

  void expand(tile::CopyOp copy) {
    OpBuilder builder(copy);
    if (copy.getSource().getType().isGlobal()) {
      std::optional<GlobalTile> source = globalTile(copy.getSource(), builder);
      std::string misfit = tmaMisfit(copy, source);
      if (source)
        notePath(*source, "load", misfit.empty() ? "TMA" : "threads: " + misfit);
      if (misfit.empty())
        return;
    }
    auto view = copy.getSource().getType();
    auto tensor = RankedTensorType::get(view.getShape(), view.getElementType());
    Value loaded =
        tile::LoadOp::create(builder, copy.getLoc(), tensor, copy.getSource(), TypedAttr(), copy.getCacheAttr());
    tile::StoreOp::create(builder, copy.getLoc(), loaded, copy.getDestination(), copy.getAccumulateAttr(),
                          copy.getCacheAttr());
    copy.erase();
  }
};

} // namespace
