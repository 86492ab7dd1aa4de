// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses of register tiles to tensors: by TMA through a staging tile where the fragment alone could only make narrow
// stores, else by threads, respread for wide accesses first. Also allocations, and conversions through shared memory.

#include "compiler/layout/hardware_fragments.h"
#include "dialects/TileToWarp/Reach.h"
#include "dialects/TileToWarp/Steps.h"
#include "dialects/Warp/IR/Pieces.h"
#include "dialects/Warp/IR/SharedBudget.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tegula;

namespace {

constexpr int64_t kVectorBytes = 16;

int64_t rowVectorBytes(const layout::Fragment &fragment, int unitDim, Type element) {
  return layout::vector_run(fragment, unitDim) * warp::elementBytes(element);
}

/// A staging tile: `buffers` pieces of the tile.
struct Staging {
  int64_t pieces = 1;
  int64_t buffers = 1;
  layout::SharedLayout layout; // of one piece
};

/// The largest staging that fits: the whole tile, or pieces of one panel each, as many as there is room for.
std::optional<Staging> planStaging(RankedTensorType type, int unitDim, int64_t room) {
  int64_t bytes = warp::elementBytes(type.getElementType());
  layout::Fragment fragment = warp::fragmentOf(type);
  int cut = warp::cutDim(fragment);
  layout::Shape shape(type.getShape().begin(), type.getShape().end());
  auto pieceLayout = [&](int64_t pieces) {
    layout::Shape piece = shape;
    piece[static_cast<size_t>(cut)] /= pieces;
    return layout::SharedLayout::best(piece, unitDim, bytes);
  };
  for (int64_t pieces = 1, extent = shape[static_cast<size_t>(cut)]; pieces <= extent / 8; ++pieces) {
    if (!warp::canCut(fragment, pieces, cut) || extent / pieces % 8 != 0)
      continue;
    Staging staging{pieces, 1, pieceLayout(pieces)};
    if (staging.layout.swizzle == Swizzle::none || !layout::plan_tma(staging.layout))
      continue;
    int64_t fit = room / static_cast<int64_t>(llvm::alignTo(staging.layout.size_bytes(), 1024));
    if (fit < 1 || (pieces > 1 && fit < 2))
      continue;
    staging.buffers = std::min<int64_t>(pieces, fit);
    while (pieces % staging.buffers != 0)
      --staging.buffers;
    return staging;
  }
  return std::nullopt;
}

/// A stacked view of all buffers.
tile::ViewType stagingView(const Staging &staging, Type element) {
  SmallVector<int64_t> shape{staging.buffers};
  shape.append(staging.layout.shape.begin(), staging.layout.shape.end());
  layout::SharedLayout stacked = staging.layout;
  stacked.shape.assign(shape.begin(), shape.end());
  stacked.unit_dim += 1;
  stacked.matrix_bytes =
      staging.buffers > 1 ? static_cast<int64_t>(llvm::alignTo(staging.layout.size_bytes(), 1024)) : 0;
  if (staging.buffers == 1)
    stacked.matrix_bytes = static_cast<int64_t>(llvm::alignTo(staging.layout.size_bytes(), 1024));
  return warp::withLayout(tile::ViewType::get(shape, element, tile::MemorySpace::shared), stacked);
}

class GlobalAccesses {
public:
  explicit GlobalAccesses(tile::KernelOp kernel) : kernel(kernel) {}

  LogicalResult convert() {
    SmallVector<tile::LoadOp> loads;
    SmallVector<tile::StoreOp> stores;
    kernel.walk([&](tile::LoadOp op) {
      if (op.getSource().getType().isGlobal())
        loads.push_back(op);
    });
    kernel.walk([&](tile::StoreOp op) {
      if (op.getDestination().getType().isGlobal())
        stores.push_back(op);
    });
    storesLeft = static_cast<int64_t>(stores.size());
    for (tile::LoadOp load : loads)
      if (failed(convertLoad(load)))
        return failure();
    for (tile::StoreOp store : stores)
      if (failed(convertStore(store)))
        return failure();
    return success();
  }

private:
  FailureOr<GlobalTile> tileOf(Operation *op, Value view) {
    OpBuilder builder(op);
    std::optional<GlobalTile> tile = globalTile(view, builder);
    if (!tile)
      return op->emitError("a tile of a tensor has to be a slice of it, or a part of a slice, not transposed");
    return *tile;
  }

  LogicalResult convertLoad(tile::LoadOp load) {
    FailureOr<GlobalTile> source = tileOf(load, load.getSource());
    if (failed(source))
      return failure();
    notePath(*source, "load", "threads");
    OpBuilder builder(load);
    auto read = warp::LoadGlobalOp::create(builder, load.getLoc(), load.getResult().getType(), source->global,
                                           source->offsets, load.getFillAttr(), load.getCacheAttr());
    load.getResult().replaceAllUsesWith(read.getResult());
    load.erase();
    return success();
  }

  LogicalResult convertStore(tile::StoreOp store) {
    FailureOr<GlobalTile> target = tileOf(store, store.getDestination());
    if (failed(target))
      return failure();
    std::string reason = tryTma(store, *target);
    if (!reason.empty()) {
      if (store.getAccumulate())
        return store.emitError("adding to a tensor takes TMA, which cannot reach this one: ") << reason;
      notePath(*target, "store", "threads: " + reason);
      storeByThreads(store, *target);
    } else {
      notePath(*target, "store", "TMA");
    }
    store.erase();
    --storesLeft;
    return success();
  }

  /// Empty when the store is TMA's now, else why not.
  std::string tryTma(tile::StoreOp store, const GlobalTile &target) {
    auto type = cast<RankedTensorType>(store.getValue().getType());
    layout::Fragment fragment = warp::fragmentOf(type);
    int unit = tileUnitDim(target.type(), type.getRank());
    if (unit < 0 || type.getRank() != 2)
      return "the tile has no two dims, one of them of stride 1";
    if (!store.getAccumulate() && rowVectorBytes(fragment, unit, type.getElementType()) >= kVectorBytes)
      return "each thread has whole vectors of a row";
    auto role = store->getParentOfType<tile::RoleOp>();
    int64_t room = warp::sharedBytesLeft(kernel) / (int64_t(role.getInstances()) * storesLeft);
    std::optional<Staging> staging = planStaging(type, unit, room);
    if (!staging)
      return "no staging tile fits the " + std::to_string(room) + " bytes of shared memory that are left";
    if (auto plan = planTmaStore(target, staging->layout); !plan)
      return plan.reason();
    OpBuilder builder(kernel.getContext());
    builder.setInsertionPointToStart(role.getBody());
    Value buffers = warp::AllocOp::create(builder, store.getLoc(), stagingView(*staging, type.getElementType()),
                                          builder.getUnitAttr(), IntegerAttr());
    builder.setInsertionPoint(store);
    warp::TmaStoreOp::create(builder, store.getLoc(), store.getValue(), target.global, target.offsets, buffers,
                             store.getAccumulateAttr(), store.getCacheAttr());
    return {};
  }

  void storeByThreads(tile::StoreOp store, const GlobalTile &target) {
    OpBuilder builder(store);
    auto type = cast<RankedTensorType>(store.getValue().getType());
    int unit = tileUnitDim(target.type(), type.getRank());
    layout::Fragment fragment = warp::fragmentOf(type);
    int64_t align = target.align();
    auto role = store->getParentOfType<tile::RoleOp>();
    layout::Shape shape(type.getShape().begin(), type.getShape().end());
    layout::Fragment wide =
        layout::blocked(shape, std::max(unit, 0),
                        std::min(align, kVectorBytes) / warp::elementBytes(type.getElementType()), role.getWarps());
    bool respread = unit >= 0 && type.getRank() == 2 && !layout::register_map(fragment, wide) &&
                    rowVectorBytes(fragment, unit, type.getElementType()) < kVectorBytes;
    std::optional<int64_t> pieces = respread ? respreadPieces(type, unit, role) : std::nullopt;
    if (!pieces) {
      warp::StoreGlobalOp::create(builder, store.getLoc(), store.getValue(), target.global, target.offsets,
                                  store.getCacheAttr());
      return;
    }
    storePieces(store, target, *pieces, unit, align);
  }

  /// Into how many pieces a tile is cut to be respread through the shared memory that is left; nothing without room.
  std::optional<int64_t> respreadPieces(RankedTensorType type, int unit, tile::RoleOp role) {
    int64_t bytes = warp::elementBytes(type.getElementType());
    int64_t room = warp::sharedBytesLeft(kernel) / (int64_t(role.getInstances()) * storesLeft);
    layout::Fragment fragment = warp::fragmentOf(type);
    int cut = warp::cutDim(fragment);
    for (int64_t pieces = 1; warp::canCut(fragment, pieces, cut); pieces *= 2) {
      layout::Shape shape = pieceShape(type, pieces, cut);
      if (layout::SharedLayout::plain(shape, unit, bytes, 16).size_bytes() <= room)
        return pieces;
    }
    return std::nullopt;
  }

  static layout::Shape pieceShape(RankedTensorType type, int64_t pieces, int cut) {
    layout::Shape shape(type.getShape().begin(), type.getShape().end());
    shape[static_cast<size_t>(cut)] /= pieces;
    return shape;
  }

  void storePieces(tile::StoreOp store, const GlobalTile &target, int64_t pieces, int unit, int64_t align) {
    auto type = cast<RankedTensorType>(store.getValue().getType());
    auto role = store->getParentOfType<tile::RoleOp>();
    Location loc = store.getLoc();
    int64_t bytes = warp::elementBytes(type.getElementType());
    int cut = warp::cutDim(warp::fragmentOf(type));
    layout::Shape shape = pieceShape(type, pieces, cut);
    auto view = warp::withLayout(tile::ViewType::get(shape, type.getElementType(), tile::MemorySpace::shared),
                                 layout::SharedLayout::plain(shape, unit, bytes, 16));
    OpBuilder builder(kernel.getContext());
    builder.setInsertionPointToStart(role.getBody());
    Value scratch = warp::AllocOp::create(builder, loc, view, builder.getUnitAttr(), IntegerAttr());
    builder.setInsertionPoint(store);
    auto pieceType = RankedTensorType::get(shape, type.getElementType());
    auto narrow = warp::withFragment(pieceType, warp::pieceOf(warp::fragmentOf(type), pieces, cut));
    auto wide = warp::withFragment(
        pieceType, layout::blocked(shape, unit, std::min(align, kVectorBytes) / bytes, role.getWarps()).canonical());
    for (int64_t index = 0; index < pieces; ++index) {
      Value piece = warp::PieceOp::create(builder, loc, narrow, store.getValue(), index, pieces, cut);
      tile::StoreOp::create(builder, loc, piece, scratch, UnitAttr(), tile::CacheHintAttr());
      Value row = tile::LoadOp::create(builder, loc, wide, scratch, TypedAttr(), tile::CacheHintAttr());
      SmallVector<Value> offsets = target.offsets;
      Value step = arith::ConstantIndexOp::create(builder, loc, index * shape[static_cast<size_t>(cut)]);
      Value &moved = offsets[offsets.size() - 2 + static_cast<size_t>(cut)];
      moved = arith::AddIOp::create(builder, loc, moved, step);
      warp::StoreGlobalOp::create(builder, loc, row, target.global, offsets, store.getCacheAttr());
    }
  }

  tile::KernelOp kernel;
  int64_t storesLeft = 0;
};

/// A change of layout that needs other threads' elements goes through a shared tile of the instance.
void expandConversion(warp::ConvertLayoutOp convert) {
  auto from = convert.getSource().getType(), to = convert.getResult().getType();
  if (layout::register_map(warp::fragmentOf(from), warp::fragmentOf(to)))
    return;
  layout::Shape shape(from.getShape().begin(), from.getShape().end());
  auto layout = layout::SharedLayout::plain(shape, static_cast<int>(from.getRank()) - 1,
                                            warp::elementBytes(from.getElementType()), from.getRank() > 1 ? 16 : 0);
  auto view =
      warp::withLayout(tile::ViewType::get(from.getShape(), from.getElementType(), tile::MemorySpace::shared), layout);
  auto role = convert->getParentOfType<tile::RoleOp>();
  OpBuilder builder(convert.getContext());
  builder.setInsertionPointToStart(role.getBody());
  Value scratch = warp::AllocOp::create(builder, convert.getLoc(), view, builder.getUnitAttr(), IntegerAttr());
  builder.setInsertionPoint(convert);
  tile::StoreOp::create(builder, convert.getLoc(), convert.getSource(), scratch, UnitAttr(), tile::CacheHintAttr());
  Value loaded = tile::LoadOp::create(builder, convert.getLoc(), to, scratch, TypedAttr(), tile::CacheHintAttr());
  convert.getResult().replaceAllUsesWith(loaded);
  convert.erase();
}

} // namespace

LogicalResult tegula::convertGlobalAccesses(tile::KernelOp kernel) { return GlobalAccesses(kernel).convert(); }

void tegula::convertAllocs(tile::KernelOp kernel) {
  SmallVector<tile::AllocOp> allocs;
  SmallVector<warp::ConvertLayoutOp> conversions;
  kernel.walk([&](tile::AllocOp op) { allocs.push_back(op); });
  kernel.walk([&](warp::ConvertLayoutOp op) { conversions.push_back(op); });
  for (tile::AllocOp alloc : allocs) {
    OpBuilder builder(alloc);
    auto plain = warp::AllocOp::create(builder, alloc.getLoc(), alloc.getResult().getType(), UnitAttr(), IntegerAttr());
    alloc.getResult().replaceAllUsesWith(plain.getResult());
    alloc.erase();
  }
  llvm::for_each(conversions, expandConversion);
}
