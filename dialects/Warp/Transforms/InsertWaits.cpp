// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// warp-insert-waits: follows each role in program order, with the products that are in flight, oldest first, and the
// stages whose readers have not all completed. A wait leaves in flight what is newer than the product that is needed.
//
// In a loop whose products only feed each other (a GEMM's) nothing uses a result before the loop's end. Then a stage is
// freed one iteration late, behind a wait that leaves the newest products in flight, so that the tensor core never idles.

#include "dialects/Warp/Transforms/Passes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace tegula::warp {
#define GEN_PASS_DEF_WARPINSERTWAITS
#include "dialects/Warp/Transforms/Passes.h.inc"
} // namespace tegula::warp

using namespace mlir;
using namespace tegula;
using namespace tegula::warp;

namespace {

/// A stage that this role has waited for and has not freed.
struct Stage {
  Value ring;
  int64_t readersToCome = 0; // ops behind us that will read it
  int64_t inFlight = 0;      // products that read it and may not have completed
};

/// One product in flight.
struct Product {
  Value d;                    // its result; null when a later product of the same accumulator took over
  Value a;                    // its operand in registers, if any
  SmallVector<Stage *> reads; // stages
  Value onlyIf;               // releases its stages under this condition; null: always
};

/// All ops that read a stage through `view`, or through views of it.
void collectReaders(Value view, SmallVectorImpl<std::pair<Operation *, Value>> &readers) {
  for (Operation *user : view.getUsers()) {
    if (isa<tile::SubviewOp, tile::TransposeOp>(user))
      collectReaders(user->getResult(0), readers);
    else
      readers.push_back({user, view});
  }
}

/// Whether every use of a loop-carried value is as the accumulator of a product, so that it may be in flight.
bool onlyAccumulates(Value argument) {
  return llvm::all_of(argument.getUses(), [](OpOperand &use) {
    auto mma = dyn_cast<MmaOp>(use.getOwner());
    return mma && &use == &mma.getCMutable();
  });
}

class Schedule {
public:
  /// \param emit  false: only find out what is in flight at the end.
  explicit Schedule(bool emit) : emit(emit) {}

  void run(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
      visit(&op);
    if (Operation *terminator = block.getTerminator(); !isa<scf::YieldOp>(terminator) || !inLoop(block))
      waitForAll(terminator);
    else
      waitForWhatMayNotBeCarried(cast<scf::ForOp>(block.getParentOp()), terminator);
  }

  SmallVector<Product> flight;

private:
  static bool inLoop(Block &block) { return isa<scf::ForOp>(block.getParentOp()); }

  void visit(Operation *op) {
    if (auto wait = dyn_cast<WaitOp>(op))
      return enterStage(wait);
    if (isa<tile::SubviewOp, tile::TransposeOp>(op) && isa<tile::ViewType>(op->getResult(0).getType()))
      return;
    if (auto mma = dyn_cast<MmaOp>(op))
      return issue(mma);
    if (auto turn = dyn_cast<tile::TurnOp>(op))
      return visitTurn(turn);
    if (op->getNumRegions() != 0)
      return visitRegions(op);
    waitForOperands(op);
    readSynchronously(op);
  }

  void enterStage(WaitOp wait) {
    SmallVector<std::pair<Operation *, Value>> readers;
    for (Value slot : wait.getSlots())
      collectReaders(slot, readers);
    stages.push_back(std::make_unique<Stage>(Stage{wait.getRing(), 0, 0}));
    llvm::SmallPtrSet<Operation *, 4> distinct;
    for (auto [reader, view] : readers) {
      Operation *inBlock = wait->getBlock()->findAncestorOpInBlock(*reader);
      if (!distinct.insert(inBlock).second)
        continue;
      ++stages.back()->readersToCome;
      readBy[inBlock].push_back(stages.back().get());
    }
    if (readers.empty())
      release(*stages.back(), wait->getNextNode(), Value());
  }

  void issue(MmaOp mma) {
    if (isa<RankedTensorType>(mma.getA().getType()))
      waitFor(mma.getA(), mma);
    for (Product &product : flight)
      if (product.d == mma.getC())
        product.d = Value();
    Product product{mma.getD(), isa<RankedTensorType>(mma.getA().getType()) ? mma.getA() : Value(), {}, Value()};
    for (Stage *stage : readBy.lookup(mma)) {
      --stage->readersToCome;
      ++stage->inFlight;
      product.reads.push_back(stage);
    }
    flight.push_back(product);
    settleCarried(mma);
  }

  /// Behind the first product of an iteration: what the iteration before left in flight is done when only this is.
  void settleCarried(MmaOp mma) {
    if (carried == 0)
      return;
    int64_t settled = carried;
    carried = 0;
    waitUntilPending(static_cast<int64_t>(flight.size()) - settled, mma->getNextNode());
  }

  /// A turn runs once, in its place: what it hands on may still be in flight behind it.
  void visitTurn(tile::TurnOp turn) {
    waitForAll(turn);
    Block &body = *turn.getBody();
    Operation *yield = body.getTerminator();
    for (Operation &op : llvm::make_early_inc_range(body.without_terminator()))
      visit(&op);
    auto handedOn = [&](const Product &product) {
      return !product.onlyIf && (!product.d || llvm::is_contained(yield->getOperands(), product.d));
    };
    if (!llvm::all_of(flight, handedOn))
      waitForAll(yield);
    for (Product &product : flight)
      if (product.d)
        product.d = turn->getResult(operandIndex(yield, product.d));
    readSynchronously(turn);
  }

  void visitRegions(Operation *op) {
    waitForAll(op);
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      visitLoop(loop);
      if (readBy.contains(loop)) // its products may read a stage that was entered before it
        waitForAll(loop->getNextNode());
      return readSynchronously(loop);
    }
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        Schedule inner(emit);
        inner.run(block);
        adopt(inner);
      }
    readSynchronously(op);
  }

  void visitLoop(scf::ForOp loop) {
    Schedule probe(false);
    probe.run(*loop.getBody());
    SmallVector<Product> left = mayDefer(probe) ? std::move(probe.flight) : SmallVector<Product>();
    if (!emit) {
      leaveLoop(loop, left);
      return;
    }
    Schedule inner(true);
    inner.enterIteration(loop, left);
    inner.run(*loop.getBody());
    leaveLoop(loop, inner.flight);
    adopt(inner);
  }

  /// A ring of one stage cannot be filled while that stage is held.
  static bool mayDefer(const Schedule &probe) {
    return llvm::all_of(probe.flight, [](const Product &product) {
      return llvm::all_of(product.reads,
                          [](Stage *stage) { return cast<tile::RingType>(stage->ring.getType()).getStages() > 1; });
    });
  }

  /// Starts with what the iteration before left in flight; its stages are freed in all iterations but the first.
  void enterIteration(scf::ForOp loop, ArrayRef<Product> left) {
    if (left.empty()) {
      deferring = false;
      return;
    }
    OpBuilder builder(loop.getBody(), loop.getBody()->begin());
    Value again = arith::CmpIOp::create(builder, loop.getLoc(), arith::CmpIPredicate::ne, loop.getInductionVar(),
                                        loop.getLowerBound());
    for (const Product &product : left) {
      Product copy{Value(), Value(), {}, again};
      if (product.d)
        copy.d = loop.getRegionIterArgs()[yieldIndex(loop, product.d)];
      for (Stage *stage : product.reads) {
        stages.push_back(std::make_unique<Stage>(Stage{stage->ring, 0, 1}));
        copy.reads.push_back(stages.back().get());
      }
      flight.push_back(copy);
    }
    carried = static_cast<int64_t>(left.size());
  }

  /// Behind the loop its last iteration's products are in flight, as the loop's results, if it ran at all.
  void leaveLoop(scf::ForOp loop, ArrayRef<Product> left) {
    Value ran;
    if (emit && !left.empty()) {
      OpBuilder builder(loop);
      ran = arith::CmpIOp::create(builder, loop.getLoc(), arith::CmpIPredicate::slt, loop.getLowerBound(),
                                  loop.getUpperBound());
    }
    for (const Product &product : left) {
      Product copy{Value(), Value(), {}, ran};
      if (product.d)
        copy.d = loop.getResult(yieldIndex(loop, product.d));
      for (Stage *stage : product.reads) {
        stages.push_back(std::make_unique<Stage>(Stage{stage->ring, 0, 1}));
        copy.reads.push_back(stages.back().get());
      }
      flight.push_back(copy);
    }
  }

  static unsigned operandIndex(Operation *op, Value value) {
    return static_cast<unsigned>(llvm::find(op->getOperands(), value) - op->getOperands().begin());
  }
  static unsigned yieldIndex(scf::ForOp loop, Value value) {
    return operandIndex(loop.getBody()->getTerminator(), value);
  }

  /// Keeps another schedule's stages alive: products that it left refer to them.
  void adopt(Schedule &other) { llvm::move(other.stages, std::back_inserter(stages)); }

  void waitForWhatMayNotBeCarried(scf::ForOp loop, Operation *terminator) {
    bool carries =
        deferring && llvm::all_of(flight, [&](const Product &product) {
          if (!product.d)
            return true;
          auto yielded = loop.getYieldedValues();
          auto found = llvm::find(yielded, product.d);
          return found != yielded.end() && onlyAccumulates(loop.getRegionIterArgs()[found - yielded.begin()]);
        });
    if (!carries)
      waitForAll(terminator);
  }

  void waitForOperands(Operation *op) {
    for (Value operand : op->getOperands())
      waitFor(operand, op);
  }

  void waitFor(Value value, Operation *before) {
    for (auto [index, product] : llvm::enumerate(flight))
      if (product.d && product.d == value)
        return waitUntilPending(static_cast<int64_t>(flight.size() - index) - 1, before);
  }

  void waitForAll(Operation *before) {
    if (!flight.empty())
      waitUntilPending(0, before);
  }

  /// Waits until only the newest `pending` products are in flight, and frees the stages that nobody reads any more.
  void waitUntilPending(int64_t pending, Operation *before) {
    size_t done = flight.size() - static_cast<size_t>(pending);
    emitWait(pending, before);
    SmallVector<Product> completed(flight.begin(), flight.begin() + static_cast<ptrdiff_t>(done));
    flight.erase(flight.begin(), flight.begin() + static_cast<ptrdiff_t>(done));
    carried = 0;
    for (Product &product : completed) {
      keepOperand(product, before);
      for (Stage *stage : product.reads)
        if (--stage->inFlight == 0 && stage->readersToCome == 0)
          release(*stage, before, product.onlyIf);
    }
  }

  /// Ties all sums in flight through the wait; whoever comes behind uses what comes out of it.
  void emitWait(int64_t pending, Operation *before) {
    if (!emit)
      return;
    SmallVector<Value *> places;
    SmallVector<Value> values;
    for (Product &product : flight)
      if (product.d && !llvm::is_contained(values, product.d)) {
        places.push_back(&product.d);
        values.push_back(product.d);
      }
    OpBuilder builder(before);
    auto wait = MmaWaitOp::create(builder, before->getLoc(), ValueRange(values).getTypes(),
                                  builder.getI64IntegerAttr(pending), values);
    for (auto [place, value, result] : llvm::zip(places, values, wait.getResults())) {
      value.replaceUsesWithIf(result, [&](OpOperand &use) {
        Operation *user = wait->getBlock()->findAncestorOpInBlock(*use.getOwner());
        return user && user != wait && wait->isBeforeInBlock(user);
      });
      *place = result;
    }
  }

  /// Operands in registers stay as they are until the products that read them are done.
  void keepOperand(const Product &product, Operation *before) {
    if (!emit || !product.a)
      return;
    OpBuilder builder(before);
    KeepOp::create(builder, before->getLoc(), product.a);
  }

  void readSynchronously(Operation *op) {
    for (Stage *stage : readBy.lookup(op))
      if (--stage->readersToCome == 0 && stage->inFlight == 0)
        release(*stage, op->getNextNode(), Value());
  }

  void release(Stage &stage, Operation *before, Value onlyIf) {
    if (!emit)
      return;
    OpBuilder builder(before);
    ReleaseOp::create(builder, before->getLoc(), stage.ring, onlyIf);
  }

  bool emit;
  bool deferring = true; // whether products may be in flight from one iteration to the next
  int64_t carried = 0;   // the oldest so many products in flight are the iteration's before
  SmallVector<std::unique_ptr<Stage>> stages;
  llvm::DenseMap<Operation *, SmallVector<Stage *>> readBy;
};

struct InsertWaits : tegula::warp::impl::WarpInsertWaitsBase<InsertWaits> {
  void runOnOperation() override {
    getOperation().walk([](tile::RoleOp role) {
      Schedule schedule(true);
      schedule.run(*role.getBody());
    });
  }
};

} // namespace
