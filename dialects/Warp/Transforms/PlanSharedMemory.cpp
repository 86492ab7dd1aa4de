// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// warp-plan-shared-memory: barriers first, then rings and tiles, each at a multiple of its pattern's repeat.

#include "dialects/Warp/IR/RingStage.h"
#include "dialects/Warp/IR/SharedBudget.h"
#include "dialects/Warp/Transforms/Passes.h"

#include "llvm/Support/MathExtras.h"

namespace tegula::warp {
#define GEN_PASS_DEF_WARPPLANSHAREDMEMORY
#include "dialects/Warp/Transforms/Passes.h.inc"
} // namespace tegula::warp

using namespace mlir;
using namespace tegula;
using namespace tegula::warp;

namespace {

struct PlanSharedMemory : tegula::warp::impl::WarpPlanSharedMemoryBase<PlanSharedMemory> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk(
        [&](tile::KernelOp kernel) { return failed(plan(kernel)) ? WalkResult::interrupt() : WalkResult::advance(); });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  LogicalResult plan(tile::KernelOp kernel) {
    Builder builder(kernel);
    int64_t offset = 0;
    kernel.walk([&](RingOp ring) {
      ring.setBarriers(offset);
      offset += 2 * ring.getResult().getType().getStages() * kBarrierBytes;
    });
    kernel.walk([&](RingOp ring) {
      auto type = ring.getResult().getType();
      RingStage stage = ringStage(type);
      offset = static_cast<int64_t>(llvm::alignTo(offset, stage.alignment));
      ring.setOffset(offset);
      offset += type.getStages() * stage.bytes;
    });
    kernel.walk([&](AllocOp alloc) {
      offset = static_cast<int64_t>(llvm::alignTo(offset, layoutOf(alloc.getResult().getType()).alignment()));
      alloc.setOffset(offset);
      offset += allocBytes(alloc);
    });
    kernel->getContext()->getLoadedDialect<WarpDialect>()->getSharedBytesAttrHelper().setAttr(
        kernel, builder.getI64IntegerAttr(offset));
    return offset > kMaxSharedBytes ? tooMuch(kernel, offset) : success();
  }

  LogicalResult tooMuch(tile::KernelOp kernel, int64_t bytes) {
    InFlightDiagnostic error = kernel.emitError("needs ") << bytes << " bytes of shared memory; a block has at most "
                                                          << kMaxSharedBytes << ", use fewer stages or smaller tiles";
    kernel.walk([&](RingOp ring) {
      auto type = ring.getResult().getType();
      error.attachNote(ring.getLoc()) << type.getStages() << " stages of " << ringStage(type).bytes << " bytes";
    });
    kernel.walk([&](AllocOp alloc) { error.attachNote(alloc.getLoc()) << allocBytes(alloc) << " bytes"; });
    return error;
  }
};

} // namespace
