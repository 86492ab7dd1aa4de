// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rings in instructions: barriers, phases, and the copies that fill stages.
//
// Each role steps through a ring with an index and a parity of its own. A fresh mbarrier counts the phase before its
// first one as complete (PTX ISA 9.0, mbarrier.try_wait): the producer starts with parity 1, so that all stages are
// empty, the consumer with 0. Parities flip when the index wraps.

#include "dialects/Warp/IR/RingStage.h"
#include "dialects/Warp/IR/SharedBudget.h"
#include "dialects/WarpToNV/Lowerings.h"
#include "dialects/WarpToNV/TmaCoordinates.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tegula;

namespace {

/// A ring as one role sees it.
class RingAccess {
public:
  RingAccess(Emitter &e, Value ring)
      : e(e), op(ring.getDefiningOp<warp::RingOp>()), state(e.ringState(ring)), stage(warp::ringStage(type())) {}

  tile::RingType type() { return op.getResult().getType(); }
  Value load(Value variable) { return LLVM::LoadOp::create(e.b, e.b.getI32Type(), variable); }
  void store(Value value, Value variable) { LLVM::StoreOp::create(e.b, value, variable); }

  /// The role's parity variable, which starts with `initial`.
  Value parity(int64_t initial) {
    if (!state.phase)
      state.phase = e.variable(initial);
    return state.phase;
  }

  Value barrier(int64_t firstOffset, Value index) {
    Value address = e.sharedAt(firstOffset);
    Value offset = e.mul(index, e.i32(warp::kBarrierBytes));
    return nv::MBarrierAtOp::create(e.b, nv::OffsetOp::create(e.b, address, offset));
  }
  Value full(Value index) { return barrier(static_cast<int64_t>(*op.getBarriers()), index); }
  Value empty(Value index) {
    return barrier(static_cast<int64_t>(*op.getBarriers()) + type().getStages() * warp::kBarrierBytes, index);
  }

  Value slot(Value index, size_t slot) {
    Value base = e.sharedAt(static_cast<int64_t>(*op.getOffset()) + stage.slotOffsets[slot]);
    return nv::OffsetOp::create(e.b, base, e.mul(index, e.i32(stage.bytes)));
  }

  /// index + 1, or 0 behind the last stage; flips the parity there.
  void step(Value variable, Value parityVariable) {
    if (type().getStages() == 1) {
      if (parityVariable)
        store(arith::XOrIOp::create(e.b, load(parityVariable), e.i32(1)), parityVariable);
      return;
    }
    Value next = e.add(load(variable), e.i32(1));
    Value wraps = arith::CmpIOp::create(e.b, arith::CmpIPredicate::eq, next, e.i32(type().getStages()));
    store(arith::SelectOp::create(e.b, wraps, e.i32(0), next), variable);
    if (!parityVariable)
      return;
    Value flip = arith::ExtUIOp::create(e.b, e.b.getI32Type(), wraps);
    store(arith::XOrIOp::create(e.b, load(parityVariable), flip), parityVariable);
  }

  Emitter &e;
  warp::RingOp op;
  RingState &state;
  warp::RingStage stage;
};

void bindSlots(Emitter &e, RingAccess &ring, Operation *op, Value index) {
  for (auto [number, slot] : llvm::enumerate(op->getResults()))
    e.bind(slot, ring.slot(index, number));
}

} // namespace

void tegula::initBarriers(Emitter &e) {
  SmallVector<warp::RingOp> rings;
  e.kernel.walk([&](warp::RingOp ring) { rings.push_back(ring); });
  if (rings.empty())
    return;
  Value first = arith::CmpIOp::create(e.b, arith::CmpIPredicate::eq, nv::ThreadIdOp::create(e.b), e.i32(0));
  e.when(first, [&] {
    for (size_t map = 0; map < e.maps.infos().size(); ++map)
      nv::TmaPrefetchMapOp::create(e.b, e.target.getBody().getArgument(static_cast<unsigned>(map)), Value());
    for (warp::RingOp ring : rings) {
      int64_t stages = ring.getResult().getType().getStages();
      for (int64_t stage = 0; stage < 2 * stages; ++stage) {
        Value address = e.sharedAt(static_cast<int64_t>(*ring.getBarriers()) + stage * warp::kBarrierBytes);
        auto count = static_cast<int32_t>(stage < stages ? ring.getFullArrivals() : ring.getEmptyArrivals());
        nv::MBarrierInitOp::create(e.b, nv::MBarrierAtOp::create(e.b, address), count, Value());
      }
    }
    nv::FenceMBarrierInitOp::create(e.b);
  });
}

LogicalResult tegula::emitAcquire(Emitter &e, warp::AcquireOp op) {
  RingAccess ring(e, op.getRing());
  Value index = ring.load(ring.state.index);
  nv::MBarrierWaitOp::create(e.b, ring.empty(index), ring.load(ring.parity(1)));
  if (ring.op.getBytes() != 0)
    nv::MBarrierArriveExpectOp::create(e.b, ring.full(index), e.i32(static_cast<int64_t>(ring.op.getBytes())),
                                       e.role.singleThread ? Value() : e.role.leader);
  bindSlots(e, ring, op, index);
  return success();
}

LogicalResult tegula::emitCommit(Emitter &e, warp::CommitOp op) {
  RingAccess ring(e, op.getRing());
  if (op.getFence()) {
    nv::FenceProxyAsyncOp::create(e.b);
    nv::PtxOp::create(e.b, TypeRange(), "bar.warp.sync 0xffffffff;", "", ValueRange());
    Value first = arith::CmpIOp::create(e.b, arith::CmpIPredicate::eq, e.role.lane, e.i32(0));
    nv::MBarrierArriveOp::create(e.b, ring.full(ring.load(ring.state.index)), first);
  }
  ring.step(ring.state.index, ring.parity(1));
  return success();
}

LogicalResult tegula::emitWait(Emitter &e, warp::WaitOp op) {
  RingAccess ring(e, op.getRing());
  Value index = ring.load(ring.state.index);
  nv::MBarrierWaitOp::create(e.b, ring.full(index), ring.load(ring.parity(0)));
  bindSlots(e, ring, op, index);
  ring.step(ring.state.index, ring.parity(0));
  return success();
}

/// One lane of each warp arrives, in every block that fills the stage.
LogicalResult tegula::emitRelease(Emitter &e, warp::ReleaseOp op) {
  RingAccess ring(e, op.getRing());
  Value condition = op.getPred() ? e.lookup(op.getPred()) : Value();
  auto blocks = static_cast<int64_t>(ring.op.getBlocks());
  nv::PtxOp::create(e.b, TypeRange(), "bar.warp.sync 0xffffffff;", "", ValueRange());
  Value freed = ring.load(ring.state.freed);
  Value chosen = e.both(condition, arith::CmpIOp::create(e.b, arith::CmpIPredicate::ult, e.role.lane, e.i32(blocks)));
  if (blocks == 1)
    nv::MBarrierArriveOp::create(e.b, ring.empty(freed), chosen);
  else
    nv::MBarrierArriveRemoteOp::create(e.b, ring.empty(freed), e.role.lane, chosen);
  ring.step(ring.state.freed, Value());
  if (condition)
    ring.store(arith::SelectOp::create(e.b, condition, ring.load(ring.state.freed), freed), ring.state.freed);
  return success();
}

void tegula::skipStages(Emitter &e, Value ringValue, Value count) {
  RingAccess ring(e, ringValue);
  Value stages = e.i32(ring.type().getStages());
  Value reached = e.add(ring.load(ring.state.index), count);
  Value wraps = arith::AndIOp::create(e.b, arith::DivUIOp::create(e.b, reached, stages), e.i32(1));
  ring.store(arith::RemUIOp::create(e.b, reached, stages), ring.state.index);
  ring.store(arith::XOrIOp::create(e.b, ring.load(ring.parity(0)), wraps), ring.parity(0));
  Value freed = e.add(ring.load(ring.state.freed), count);
  ring.store(arith::RemUIOp::create(e.b, freed, stages), ring.state.freed);
}

LogicalResult tegula::emitTmaLoad(Emitter &e, warp::TmaLoadOp op) {
  RingAccess ring(e, op.getRing());
  const TmaUse &use = e.maps.use(op);
  Value barrier = ring.full(ring.load(ring.state.index));
  Value slot = e.lookup(op.getSlot());
  Value map = e.target.getBody().getArgument(static_cast<unsigned>(use.map));
  SmallVector<Value> offsets;
  for (Value offset : op.getOffsets())
    offsets.push_back(e.asI32(e.lookup(offset)));
  Value mask;
  if (op.getMulticast()) {
    auto blocks = static_cast<int64_t>(ring.op.getBlocks());
    mask = arith::ConstantOp::create(e.b, e.b.getI16IntegerAttr(static_cast<int16_t>((1 << blocks) - 1)));
    Value rank = nv::ClusterRankOp::create(e.b);
    Value &offset = offsets[use.droppedDims + use.plan.part_dim];
    offset = e.add(offset, e.mul(rank, e.i32(use.plan.part_extent)));
    slot = nv::OffsetOp::create(e.b, slot, e.mul(rank, e.i32(use.plan.part_shared_step)));
  }
  std::optional<nv::L2Policy> cache;
  if (auto hint = op.getCache())
    cache = *hint == tile::CacheHint::evict_first ? nv::L2Policy::evict_first : nv::L2Policy::evict_last;
  for (const layout::BoxCopy &copy : use.plan.copies) {
    SmallVector<Value> coordinates = tmaCoordinates(e, use, op.getSource(), offsets, copy.tile_offset);
    Value destination = nv::OffsetOp::create(e.b, slot, e.i32(copy.shared_offset));
    nv::TmaLoadOp::create(e.b, map, coordinates, destination, barrier, mask,
                          e.role.singleThread ? Value() : e.role.leader, cache);
  }
  return success();
}
