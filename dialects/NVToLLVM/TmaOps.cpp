// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bulk copies become inline PTX, since NVVM's forms take no 32-bit addresses; their groups become NVVM ops.
#include "dialects/NVToLLVM/Lowering.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace NVVM = mlir::NVVM;

namespace tegula::nv {

void addTmaPatterns(Patterns patterns) {
  patterns.add<TmaLoadOp>([](auto op, auto operands, auto site) {
    ptx::tmaLoad(site, operands.getMap(), llvm::to_vector(operands.getCoordinates()), operands.getDestination(),
                 operands.getBarrier(), {operands.getMulticast(), operands.getPredicate(), op.getCache()});
    return mlir::Value();
  });
  patterns.add<TmaStoreOp>([](auto op, auto operands, auto site) {
    ptx::tmaStore(site, operands.getMap(), llvm::to_vector(operands.getCoordinates()), operands.getSource(),
                  {{}, operands.getPredicate(), op.getCache()});
    return mlir::Value();
  });
  patterns.add<TmaReduceOp>([](auto op, auto operands, auto site) {
    ptx::tmaReduce(site, op.getKind(), operands.getMap(), llvm::to_vector(operands.getCoordinates()),
                   operands.getSource(), {{}, operands.getPredicate(), op.getCache()});
    return mlir::Value();
  });
  patterns.add<TmaPrefetchMapOp>([](auto, auto operands, auto site) {
    ptx::tmaPrefetchMap(site, operands.getMap(), operands.getPredicate());
    return mlir::Value();
  });
  patterns.add<BulkLoadOp>([](auto op, auto operands, auto site) {
    ptx::bulkLoad(site, operands.getSource(), operands.getDestination(), operands.getBarrier(), operands.getBytes(),
                  {operands.getMulticast(), operands.getPredicate(), op.getCache()});
    return mlir::Value();
  });
  patterns.add<BulkStoreOp>([](auto, auto operands, auto site) {
    ptx::bulkStore(site, operands.getSource(), operands.getDestination(), operands.getBytes(), operands.getPredicate());
    return mlir::Value();
  });
  patterns.add<BulkCommitOp>([](auto, auto, auto site) {
    NVVM::CpAsyncBulkCommitGroupOp::create(site.builder, site.loc);
    return mlir::Value();
  });
  patterns.add<BulkWaitOp>([](auto op, auto, auto site) {
    mlir::UnitAttr read = op.getRead() ? site.builder.getUnitAttr() : mlir::UnitAttr();
    NVVM::CpAsyncBulkWaitGroupOp::create(site.builder, site.loc, op.getPending(), read);
    return mlir::Value();
  });
}

} // namespace tegula::nv
