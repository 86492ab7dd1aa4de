// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// convert-tile-to-warp: runs the steps that Steps.h lists.

#include "dialects/TileToWarp/TileToWarp.h"
#include "dialects/TileToWarp/Steps.h"

namespace tegula {
#define GEN_PASS_DEF_CONVERTTILETOWARP
#include "dialects/TileToWarp/Passes.h.inc"
} // namespace tegula

using namespace mlir;
using namespace tegula;

namespace {

struct ConvertTileToWarp : tegula::impl::ConvertTileToWarpBase<ConvertTileToWarp> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk([](tile::KernelOp kernel) {
      if (failed(placeRoles(kernel)) || failed(convertRings(kernel)))
        return WalkResult::interrupt();
      convertProducts(kernel);
      convertAllocs(kernel);
      return failed(convertGlobalAccesses(kernel)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
