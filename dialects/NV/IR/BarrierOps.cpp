// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules of mbarriers and named barriers.
#include "dialects/NV/IR/NVDialect.h"

#include "mlir/IR/Matchers.h"

namespace tegula::nv {

// PTX ISA 9.0, "mbarrier": counts of arrivals and of transactions stay below 2^20.
static constexpr int64_t kMaxMBarrierCount = (1 << 20) - 1;

static std::optional<int64_t> constantOf(mlir::Value value) {
  llvm::APInt number;
  if (!mlir::matchPattern(value, mlir::m_ConstantInt(&number)))
    return std::nullopt;
  return number.getSExtValue();
}

mlir::LogicalResult MBarrierAtOp::verify() {
  if (auto offset = constantSharedOffset(getAddress()); offset && *offset % 8 != 0) // mbarrier B1
    return emitOpError("B1: the barrier lies ") << *offset << " bytes from the base; make it a multiple of 8";
  return mlir::success();
}

mlir::LogicalResult MBarrierInitOp::verify() {
  if (int32_t count = getCount(); count < 1 || count > kMaxMBarrierCount) // mbarrier B2
    return emitOpError("B2: ") << count << " arrivals a phase; give 1 to " << kMaxMBarrierCount;
  return mlir::success();
}

static mlir::LogicalResult verifyBytes(mlir::Operation *op, mlir::Value value) {
  if (auto bytes = constantOf(value); bytes && (*bytes < 0 || *bytes > kMaxMBarrierCount)) // mbarrier B3
    return op->emitOpError("B3: ") << *bytes << " bytes a phase; a barrier counts 0 to " << kMaxMBarrierCount
                                   << ", so split the stage";
  return mlir::success();
}

static mlir::LogicalResult verifyParity(mlir::Operation *op, mlir::Value value) {
  if (auto parity = constantOf(value); parity && *parity != 0 && *parity != 1) // mbarrier B4
    return op->emitOpError("B4: parity ") << *parity << "; a phase is 0 or 1";
  return mlir::success();
}

mlir::LogicalResult MBarrierArriveExpectOp::verify() { return verifyBytes(*this, getBytes()); }
mlir::LogicalResult MBarrierExpectOp::verify() { return verifyBytes(*this, getBytes()); }
mlir::LogicalResult MBarrierWaitOp::verify() { return verifyParity(*this, getParity()); }
mlir::LogicalResult MBarrierTryWaitOp::verify() { return verifyParity(*this, getParity()); }

static mlir::LogicalResult verifyNamedBarrier(mlir::Operation *op, mlir::Value idValue, mlir::Value threadsValue) {
  if (auto id = constantOf(idValue); id && (*id < 0 || *id > 15)) // barrier N1
    return op->emitOpError("N1: barrier ") << *id << "; a block has 0 to 15";
  auto threads = constantOf(threadsValue);
  if (threads && (*threads < 32 || *threads > 1024 || *threads % 32 != 0)) // barrier N2
    return op->emitOpError("N2: ") << *threads << " threads; give 32 to 1024, a multiple of 32";
  return mlir::success();
}

mlir::LogicalResult BarrierSyncOp::verify() { return verifyNamedBarrier(*this, getId(), getThreads()); }
mlir::LogicalResult BarrierArriveOp::verify() { return verifyNamedBarrier(*this, getId(), getThreads()); }

} // namespace tegula::nv
