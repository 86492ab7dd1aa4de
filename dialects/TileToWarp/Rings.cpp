// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rings: who fills a stage and with how many bytes, who reads it, which blocks of the cluster share it.

#include "dialects/TileToWarp/Reach.h"
#include "dialects/TileToWarp/Steps.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace tegula;

namespace {

tile::RoleOp roleOf(Operation *op) { return op->getParentOfType<tile::RoleOp>(); }

/// Whether a value is the same in all blocks of a cluster: it does not follow from the tile's dim 0, along which the
/// blocks of a cluster differ. Loop counters follow from the loop's bounds.
class Uniformity {
public:
  bool isUniform(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return isUniformArgument(argument);
    Operation *op = value.getDefiningOp();
    if (!seen.insert(op).second)
      return true;
    return op->getNumRegions() == 0 && llvm::all_of(op->getOperands(), [&](Value v) { return isUniform(v); });
  }

  /// Whether all blocks of the cluster come through here equally often within one tile.
  bool isReachedAlike(Operation *op) {
    for (Operation *parent = op->getParentOp(); parent && !isa<tile::ForTilesOp, tile::RoleOp>(parent);
         parent = parent->getParentOp())
      if (!llvm::all_of(parent->getOperands(), [&](Value v) { return isUniform(v); }))
        return false;
    return op->getParentOfType<tile::ForTilesOp>() != nullptr;
  }

private:
  bool isUniformArgument(BlockArgument argument) {
    Operation *owner = argument.getOwner()->getParentOp();
    if (isa<tile::ForTilesOp>(owner))
      return argument.getArgNumber() != 0;
    if (auto loop = dyn_cast<scf::ForOp>(owner))
      return argument == loop.getInductionVar() && isUniform(loop.getLowerBound()) && isUniform(loop.getStep());
    return isa<tile::KernelOp, tile::RoleOp>(owner);
  }

  llvm::SmallPtrSet<Operation *, 16> seen;
};

/// The dim along which blocks of the cluster share out a load, if all of them want the same tile at the same time.
std::optional<int64_t> multicastDim(tile::CopyOp copy, const GlobalTile &source, int64_t blocks) {
  if (blocks == 1 || !Uniformity().isReachedAlike(copy) || !Uniformity().isUniform(source.global) ||
      !llvm::all_of(source.offsets, [](Value offset) { return Uniformity().isUniform(offset); }))
    return std::nullopt;
  layout::SharedLayout layout = warp::layoutOf(copy.getDestination().getType());
  for (int dim : {layout.row_dim(), layout.unit_dim})
    if (dim >= 0 && planTmaLoad(source, layout, {blocks, dim}))
      return dim;
  return std::nullopt;
}

/// A copy that TMA does, and along which dim it is shared out.
struct Load {
  tile::CopyOp copy;
  GlobalTile source;
  std::optional<int64_t> multicast;
};

/// All that touches one ring.
class RingConversion {
public:
  explicit RingConversion(tile::RingOp ring) : ring(ring) {
    for (Operation *user : ring.getResult().getUsers()) {
      if (auto produce = dyn_cast<tile::ProduceOp>(user))
        produces.push_back(produce);
      else
        consumes.push_back(cast<tile::ConsumeOp>(user));
    }
    for (tile::ProduceOp produce : produces)
      for (Value slot : produce.getSlots())
        collectFillers(slot);
  }

  LogicalResult convert() {
    if (produces.empty() || consumes.empty())
      return ring.emitError("a ring needs a role that produces and one that consumes; this one lacks ")
             << (produces.empty() ? "the former" : "the latter");
    for (tile::ProduceOp produce : produces)
      for (Value slot : produce.getSlots())
        if (failed(checkFilledInTime(slot, nextProduce(produce))))
          return failure();
    OpBuilder builder(ring);
    guarded = warp::RingOp::create(builder, ring.getLoc(), ring.getResult().getType(), bytes(), fullArrivals(),
                                   emptyArrivals(), blocks, turns(), IntegerAttr(), IntegerAttr());
    llvm::for_each(loads, [&](Load &load) { convertLoad(load); });
    llvm::for_each(produces, [&](tile::ProduceOp op) { commit(op); });
    llvm::for_each(produces, [&](tile::ProduceOp op) { replaceSlots<warp::AcquireOp>(op); });
    llvm::for_each(consumes, [&](tile::ConsumeOp op) { replaceSlots<warp::WaitOp>(op); });
    ring.erase();
    return success();
  }

private:
  void collectFillers(Value slot) {
    for (Operation *user : slot.getUsers()) {
      if (isa<tile::SubviewOp, tile::TransposeOp>(user))
        collectFillers(user->getResult(0));
      else if (auto copy = dyn_cast<tile::CopyOp>(user))
        addLoad(copy);
      else if (isa<tile::StoreOp>(user))
        filledByThreads = true;
    }
  }

  void addLoad(tile::CopyOp copy) {
    OpBuilder builder(copy);
    GlobalTile source = *globalTile(copy.getSource(), builder);
    int64_t cluster = source.kernel().getCluster().front();
    Load load{copy, source, multicastDim(copy, source, cluster)};
    if (load.multicast)
      blocks = cluster;
    loads.push_back(load);
  }

  int64_t bytes() {
    int64_t sum = 0;
    for (Load &load : loads)
      sum += planTmaLoad(load.source, warp::layoutOf(load.copy.getDestination().getType()))->total_bytes;
    return sum / static_cast<int64_t>(produces.size());
  }

  int64_t fullArrivals() {
    int64_t arrivals = loads.empty() ? 0 : 1;
    if (filledByThreads)
      arrivals += static_cast<int64_t>(roleOf(produces.front()).getTotalWarps());
    return std::max<int64_t>(1, arrivals);
  }

  int64_t turns() {
    auto role = roleOf(consumes.front());
    auto tiles = consumes.front()->getParentOfType<tile::ForTilesOp>();
    return tiles && tiles.getAlternate() ? int64_t(role.getInstances()) : 1;
  }

  /// Each warp that reads a stage arrives, in each block that the stage's data came from.
  int64_t emptyArrivals() {
    llvm::SmallPtrSet<Operation *, 4> readers;
    int64_t warps = 0;
    for (tile::ConsumeOp consume : consumes)
      if (readers.insert(roleOf(consume)).second)
        warps += roleOf(consume).getTotalWarps();
    return warps / turns() * blocks;
  }

  void convertLoad(Load &load) {
    OpBuilder builder(load.copy);
    auto dim = load.multicast ? builder.getI64IntegerAttr(*load.multicast) : IntegerAttr();
    warp::TmaLoadOp::create(builder, load.copy.getLoc(), load.source.global, load.source.offsets,
                            load.copy.getDestination(), guarded.getResult(), dim, load.copy.getCacheAttr());
    load.copy.erase();
  }

  /// The op behind which no stage of this produce may be filled any more: one that takes the next stage, or the end.
  Operation *nextProduce(tile::ProduceOp produce) {
    Operation *end = produce->getNextNode();
    while (end != produce->getBlock()->getTerminator() && !containsProduce(end))
      end = end->getNextNode();
    return end;
  }

  static LogicalResult checkFilledInTime(Value slot, Operation *end) {
    for (Operation *user : slot.getUsers()) {
      Operation *inBlock = end->getBlock()->findAncestorOpInBlock(*user);
      if (inBlock && !inBlock->isBeforeInBlock(end)) {
        InFlightDiagnostic error = user->emitError("a slot is filled after the next one of its ring was taken");
        error.attachNote(end->getLoc()) << "the next one is taken here; fill the first before";
        return error;
      }
      if (isa<tile::SubviewOp, tile::TransposeOp>(user) && failed(checkFilledInTime(user->getResult(0), end)))
        return failure();
    }
    return success();
  }

  /// A stage is full before the next one of its ring is taken, or at the end of its block. Each commit finds its place by
  /// the produces behind it, so all of these still stand.
  void commit(tile::ProduceOp produce) {
    OpBuilder builder(nextProduce(produce));
    warp::CommitOp::create(builder, produce.getLoc(), guarded.getResult(),
                           filledByThreads ? builder.getUnitAttr() : UnitAttr());
  }

  bool containsProduce(Operation *op) {
    return llvm::any_of(produces, [&](tile::ProduceOp produce) { return op->isAncestor(produce); });
  }

  template <typename NewOp, typename OldOp> void replaceSlots(OldOp op) {
    OpBuilder builder(op);
    auto slots = NewOp::create(builder, op.getLoc(), op->getResultTypes(), guarded.getResult());
    op->replaceAllUsesWith(slots->getResults());
    op->erase();
  }

  tile::RingOp ring;
  warp::RingOp guarded;
  SmallVector<tile::ProduceOp> produces;
  SmallVector<tile::ConsumeOp> consumes;
  SmallVector<Load> loads;
  bool filledByThreads = false;
  int64_t blocks = 1;
};

} // namespace

LogicalResult tegula::convertRings(tile::KernelOp kernel) {
  SmallVector<tile::RingOp> rings(kernel.getBody()->getOps<tile::RingOp>());
  for (tile::RingOp ring : rings)
    if (failed(RingConversion(ring).convert()))
      return failure();
  // Slices that only fed TMA are dead now; they would keep views of tensors alive.
  SmallVector<Operation *> views;
  kernel.walk([&](tile::SliceOp slice) { views.push_back(slice); });
  for (Operation *view : llvm::reverse(views))
    if (view->use_empty())
      view->erase();
  return success();
}
