// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of the passes, in one place.
#pragma once

namespace mlir {
class OpPassManager;
}

namespace tegula {

/// From `tile` as the DSL builds it to `warp`, ready for convertWarpToNV.
void buildTileToWarpPipeline(mlir::OpPassManager &passes);

} // namespace tegula
