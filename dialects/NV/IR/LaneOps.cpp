// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules of exchanges between lanes.
#include "dialects/NV/IR/NVDialect.h"

namespace tegula::nv {

mlir::LogicalResult ShuffleXorOp::verify() {
  if (int32_t mask = getMask(); mask < 1 || mask > 31) // shuffle S1. PTX ISA 9.0, shfl.sync
    return emitOpError("S1: mask ") << mask << "; lanes of a warp differ in 1 to 31";
  return mlir::success();
}

} // namespace tegula::nv
