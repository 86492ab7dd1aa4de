// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shuffles become NVVM ops, approximations LLVM's intrinsics for them.
#include "dialects/NVToLLVM/Approx.h"
#include "dialects/NVToLLVM/Lowering.h"
#include "dialects/NVToLLVM/Registers.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace NVVM = mlir::NVVM;

namespace tegula::nv {

static mlir::Value shuffle(ptx::Site site, mlir::Value value, mlir::Value lane, NVVM::ShflKind kind) {
  return NVVM::ShflOp::create(site.builder, site.loc, value.getType(), constantI32(site.builder, site.loc, -1), value,
                              lane, constantI32(site.builder, site.loc, 31), kind, mlir::UnitAttr());
}

void addLanePatterns(Patterns patterns) {
  patterns.add<ShuffleXorOp>([](auto op, auto operands, auto site) {
    mlir::Value mask = constantI32(site.builder, site.loc, op.getMask());
    return shuffle(site, operands.getValue(), mask, NVVM::ShflKind::bfly);
  });
  patterns.add<ShuffleIdxOp>([](auto, auto operands, auto site) {
    return shuffle(site, operands.getValue(), operands.getLane(), NVVM::ShflKind::idx);
  });
  patterns.add<ApproxOp>(
      [](auto op, auto operands, auto site) { return approx(site, op.getKind(), operands.getValue()); });
}

} // namespace tegula::nv
