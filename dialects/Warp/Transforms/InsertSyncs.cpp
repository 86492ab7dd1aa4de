// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// warp-insert-syncs: a barrier of the instance between conflicting accesses of its threads to a shared tile. Tiles of
// the block that several instances or roles touch are not ordered here: rings are for that.

#include "dialects/Warp/Transforms/Passes.h"

#include "llvm/ADT/DenseSet.h"

namespace tegula::warp {
#define GEN_PASS_DEF_WARPINSERTSYNCS
#include "dialects/Warp/Transforms/Passes.h.inc"
} // namespace tegula::warp

using namespace mlir;
using namespace tegula;
using namespace tegula::warp;

namespace {

/// The allocation that a view is part of; null for slots of rings and views of tensors.
Value allocation(Value view) {
  while (Operation *op = view.getDefiningOp()) {
    if (isa<AllocOp>(op))
      return view;
    if (!isa<tile::SubviewOp, tile::TransposeOp>(op))
      return Value();
    view = op->getOperand(0);
  }
  return Value();
}

/// Tiles that threads have read or written since the last barrier.
struct Accesses {
  llvm::DenseSet<Value> read, written;

  void clear() {
    read.clear();
    written.clear();
  }
  void add(const Accesses &other) {
    read.insert(other.read.begin(), other.read.end());
    written.insert(other.written.begin(), other.written.end());
  }
};

class Ordering {
public:
  void run(Block &block, Accesses &since) {
    for (Operation &op : llvm::make_early_inc_range(block))
      visit(&op, since);
  }

private:
  void visit(Operation *op, Accesses &since) {
    if (isa<SyncOp>(op))
      return since.clear();
    if (op->getNumRegions() != 0)
      return visitRegions(op, since);
    if (auto load = dyn_cast<tile::LoadOp>(op))
      access(op, allocation(load.getSource()), since.written, since.read, since, {});
    else if (auto store = dyn_cast<tile::StoreOp>(op))
      access(op, allocation(store.getDestination()), since.read, since.written, since, &since.written);
    else if (auto mma = dyn_cast<MmaOp>(op))
      for (Value operand : {Value(mma.getA()), Value(mma.getB())})
        if (isa<tile::ViewType>(operand.getType()))
          access(op, allocation(operand), since.written, since.read, since, {});
  }

  /// Puts a barrier before `op` when `tile` is among those that conflict; then notes the access.
  void access(Operation *op, Value tile, llvm::DenseSet<Value> &conflicts, llvm::DenseSet<Value> &note, Accesses &since,
              llvm::DenseSet<Value> *alsoConflicts) {
    if (!tile)
      return;
    if (conflicts.contains(tile) || (alsoConflicts && alsoConflicts->contains(tile))) {
      OpBuilder builder(op);
      SyncOp::create(builder, op->getLoc());
      since.clear();
    }
    note.insert(tile);
  }

  /// A loop's body comes behind itself too: the second visit finds what meets across iterations.
  void visitRegions(Operation *op, Accesses &since) {
    bool repeats = isa<scf::ForOp, scf::WhileOp, tile::ForTilesOp>(op);
    Accesses behind = since;
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        Accesses inner = since;
        run(block, inner);
        if (repeats) {
          inner.add(since);
          run(block, inner);
        }
        behind.add(inner);
      }
    since = behind;
  }
};

struct InsertSyncs : tegula::warp::impl::WarpInsertSyncsBase<InsertSyncs> {
  void runOnOperation() override {
    getOperation().walk([](tile::RoleOp role) {
      Accesses since;
      Ordering().run(*role.getBody(), since);
    });
  }
};

} // namespace
