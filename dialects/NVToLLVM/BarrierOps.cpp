// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mbarriers become inline PTX (they need predicates and 32-bit addresses); named and cluster barriers NVVM ops.
#include "dialects/NVToLLVM/Lowering.h"
#include "dialects/NVToLLVM/Registers.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace LLVM = mlir::LLVM;
namespace NVVM = mlir::NVVM;

namespace tegula::nv {

static void addMBarrierPatterns(Patterns patterns) {
  patterns.add<MBarrierAtOp>([](auto, auto operands, auto) { return operands.getAddress(); });
  patterns.add<MBarrierInitOp>([](auto op, auto operands, auto site) {
    ptx::mbarrierInit(site, operands.getBarrier(), op.getCount(), operands.getPredicate());
    return mlir::Value();
  });
  patterns.add<MBarrierArriveOp>([](auto, auto operands, auto site) {
    ptx::mbarrierArrive(site, operands.getBarrier(), operands.getPredicate());
    return mlir::Value();
  });
  patterns.add<MBarrierArriveRemoteOp>([](auto, auto operands, auto site) {
    ptx::mbarrierArriveRemote(site, operands.getBarrier(), operands.getRank(), operands.getPredicate());
    return mlir::Value();
  });
  patterns.add<MBarrierArriveExpectOp>([](auto, auto operands, auto site) {
    ptx::mbarrierArriveExpect(site, operands.getBarrier(), operands.getBytes(), operands.getPredicate());
    return mlir::Value();
  });
  patterns.add<MBarrierExpectOp>([](auto, auto operands, auto site) {
    ptx::mbarrierExpect(site, operands.getBarrier(), operands.getBytes(), operands.getPredicate());
    return mlir::Value();
  });
  patterns.add<MBarrierWaitOp>([](auto, auto operands, auto site) {
    ptx::mbarrierWait(site, operands.getBarrier(), operands.getParity());
    return mlir::Value();
  });
  patterns.add<MBarrierTryWaitOp>([](auto, auto operands, auto site) {
    return ptx::mbarrierTryWait(site, operands.getBarrier(), operands.getParity());
  });
  patterns.add<MBarrierInvalidateOp>([](auto, auto operands, auto site) {
    ptx::mbarrierInvalidate(site, operands.getBarrier(), operands.getPredicate());
    return mlir::Value();
  });
}

static void addNamedBarrierPatterns(Patterns patterns) {
  patterns.add<BarrierSyncOp>([](auto, auto operands, auto site) {
    NVVM::BarrierOp::create(site.builder, site.loc, mlir::TypeRange(), operands.getId(), operands.getThreads(),
                            NVVM::BarrierReductionAttr(), mlir::Value());
    return mlir::Value();
  });
  // The op of NVVM is inline PTX, which takes the id from a register; the intrinsic takes it as an immediate.
  patterns.add<BarrierArriveOp>([](auto, auto operands, auto site) {
    auto name = site.builder.getStringAttr("llvm.nvvm.barrier.cta.arrive.aligned.count");
    LLVM::CallIntrinsicOp::create(site.builder, site.loc, name,
                                  mlir::ValueRange{operands.getId(), operands.getThreads()});
    return mlir::Value();
  });
  patterns.add<BlockSyncOp>([](auto, auto, auto site) {
    NVVM::Barrier0Op::create(site.builder, site.loc);
    return mlir::Value();
  });
}

static void addClusterPatterns(Patterns patterns) {
  patterns.add<ClusterArriveOp>([](auto op, auto, auto site) {
    mlir::UnitAttr aligned = site.builder.getUnitAttr();
    if (op.getRelaxed())
      NVVM::ClusterArriveRelaxedOp::create(site.builder, site.loc, aligned);
    else
      NVVM::ClusterArriveOp::create(site.builder, site.loc, aligned);
    return mlir::Value();
  });
  patterns.add<ClusterWaitOp>([](auto, auto, auto site) {
    NVVM::ClusterWaitOp::create(site.builder, site.loc, site.builder.getUnitAttr());
    return mlir::Value();
  });
}

static void addFencePatterns(Patterns patterns) {
  patterns.add<FenceMBarrierInitOp>([](auto, auto, auto site) {
    NVVM::FenceMbarrierInitOp::create(site.builder, site.loc);
    return mlir::Value();
  });
  patterns.add<FenceProxyAsyncOp>([](auto, auto, auto site) {
    auto space = NVVM::SharedSpaceAttr::get(site.builder.getContext(), NVVM::SharedSpace::shared_cta);
    NVVM::FenceProxyOp::create(site.builder, site.loc, NVVM::ProxyKind::async_shared, space);
    return mlir::Value();
  });
  patterns.add<FenceProxyAsyncGlobalOp>([](auto, auto, auto site) {
    NVVM::FenceProxyOp::create(site.builder, site.loc, NVVM::ProxyKind::async_global, NVVM::SharedSpaceAttr());
    return mlir::Value();
  });
  patterns.add<FenceOp>([](auto op, auto, auto site) {
    ptx::fence(site, op.getScope());
    return mlir::Value();
  });
}

void addBarrierPatterns(Patterns patterns) {
  addMBarrierPatterns(patterns);
  addNamedBarrierPatterns(patterns);
  addClusterPatterns(patterns);
  addFencePatterns(patterns);
}

} // namespace tegula::nv
