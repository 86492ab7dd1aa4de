// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/TileToWarp/Reach.h"
#include "runtime/launch/tensor_window.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tegula;

namespace {

constexpr int64_t kMaxMapRank = 5;    // CUDA driver API 13.0, cuTensorMapEncodeTiled
constexpr int64_t kTmaAlignment = 16; // CUDA driver API 13.0, cuTensorMapEncodeTiled: base address and strides

/// The multiple that an extent of the tensor is promised to be.
int64_t extentDivisor(const GlobalTile &tile, int dim) {
  auto kernel = tile.kernel();
  Attribute extent = cast<ArrayAttr>(kernel.getGlobalDims()[tile.argument()])[dim];
  if (auto constant = dyn_cast<IntegerAttr>(extent))
    return constant.getInt();
  int64_t argument = kernel.getArgIndex(cast<StringAttr>(extent).getValue());
  return std::max<int64_t>(1, kernel.getArgAlign(static_cast<unsigned>(argument)));
}

/// Why no tensor map shows the window; empty where one does. See runtime/launch/tensor_window.h.
std::string windowMisfit(const GlobalTile &tile) {
  if (static_cast<int>(tile.window().getDim()) == tile.type().getUnitDim())
    return "the window is along the tensor's dim of stride 1";
  if (tile.type().getRank() + kWindowMapDims > kMaxMapRank)
    return "the map of a window has two dims more than the tensor, which has " + std::to_string(tile.type().getRank()) +
           "; a map has at most 5";
  return {};
}

} // namespace

std::optional<GlobalTile> tegula::globalTile(Value view, OpBuilder &builder) {
  if (auto slice = view.getDefiningOp<tile::SliceOp>()) {
    if (!tile::argumentOf(slice.getSource()))
      return std::nullopt;
    return GlobalTile{slice.getSource(), llvm::to_vector(slice.getOffsets())};
  }
  auto subview = view.getDefiningOp<tile::SubviewOp>();
  if (!subview)
    return std::nullopt;
  std::optional<GlobalTile> tile = globalTile(subview.getSource(), builder);
  if (!tile)
    return std::nullopt;
  size_t dropped = tile->offsets.size() - subview.getOffsets().size();
  for (auto [dim, offset] : llvm::enumerate(subview.getOffsets())) {
    Value &sum = tile->offsets[dropped + dim];
    sum = arith::AddIOp::create(builder, subview.getLoc(), sum, offset);
  }
  return tile;
}

int tegula::tileUnitDim(tile::GlobalType global, int64_t rank) {
  return global.getUnitDim() < 0 ? -1 : global.getUnitDim() - static_cast<int>(global.getRank() - rank);
}

layout::Outcome<layout::TmaPlan> tegula::planTmaLoad(const GlobalTile &tile, const layout::SharedLayout &layout,
                                                     layout::TmaParts parts) {
  int64_t align = tile.align();
  if (align < kTmaAlignment)
    return layout::Misfit{"address and strides are promised to be multiples of " + std::to_string(align) +
                          " bytes; TMA needs " + std::to_string(kTmaAlignment)};
  if (tileUnitDim(tile.type(), layout.rank()) != layout.unit_dim)
    return layout::Misfit{"the tensor's dim of stride 1 is not the tile's"};
  if (tile.window())
    if (std::string reason = windowMisfit(tile); !reason.empty())
      return layout::Misfit{reason};
  return layout::plan_tma(layout, parts);
}

layout::Outcome<layout::TmaPlan> tegula::planTmaStore(const GlobalTile &tile, const layout::SharedLayout &layout) {
  int64_t rowBytes = extentDivisor(tile, tile.type().getUnitDim()) * tile.type().getElementBytes();
  if (rowBytes % kTmaAlignment != 0)
    return layout::Misfit{"rows are promised to be multiples of " + std::to_string(rowBytes) +
                          " bytes long; TMA clips what it stores in steps of 16"};
  return planTmaLoad(tile, layout);
}

void tegula::notePath(const GlobalTile &tile, StringRef what, StringRef path) {
  auto kernel = tile.kernel();
  auto *dialect = kernel->getContext()->getLoadedDialect<warp::WarpDialect>();
  auto helper = dialect->getPathsAttrHelper();
  NamedAttrList paths(helper.isAttrPresent(kernel) ? helper.getAttr(kernel)
                                                   : DictionaryAttr::get(kernel->getContext()));
  std::string name = (tile.name() + "." + what).str();
  if (paths.get(name))
    return; // who decided first knows the reason
  paths.set(name, StringAttr::get(kernel->getContext(), path));
  helper.setAttr(kernel, paths.getDictionary(kernel->getContext()));
}
