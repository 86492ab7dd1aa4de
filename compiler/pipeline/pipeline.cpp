// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of the passes, and why it is so.

#include "compiler/pipeline/pipeline.h"

#include "dialects/TileToWarp/TileToWarp.h"
#include "dialects/Warp/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

void tegula::buildTileToWarpPipeline(mlir::OpPassManager &passes) {
  // Index arithmetic of the DSL folds here, once, while it is still about tiles.
  passes.addPass(mlir::createCanonicalizerPass());
  passes.addPass(mlir::createCSEPass());
  // First of all passes, as what comes behind sees the pieces as the tiles.
  passes.addPass(createTileLoopOverPieces());
  // Layouts of shared tiles follow from the copies and products that touch them, so they come while these still stand.
  passes.addPass(warp::createWarpAssignSharedLayouts());
  // Whether TMA can do a copy depends on the layout; the other copies become loads and stores of register tiles, which
  // need fragments.
  passes.addPass(createTileExpandCopies());
  passes.addPass(warp::createWarpAssignFragments());
  // Rings, products and accesses to tensors in their guarded form; staging tiles take the shared memory that is left.
  passes.addPass(createConvertTileToWarp());
  // Waits need products to be asynchronous; barriers between threads need all shared accesses to be there.
  passes.addPass(warp::createWarpInsertWaits());
  passes.addPass(warp::createWarpInsertSyncs());
  // Last: nobody allocates any more.
  passes.addPass(warp::createWarpPlanSharedMemory());
}
