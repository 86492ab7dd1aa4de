// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Warp/IR/RingStage.h"

#include "llvm/Support/MathExtras.h"

using namespace tegula;
using namespace tegula::warp;

RingStage tegula::warp::ringStage(tile::RingType ring) {
  RingStage stage;
  for (mlir::Type slot : ring.getSlots()) {
    layout::SharedLayout layout = layoutOf(mlir::cast<tile::ViewType>(slot));
    stage.bytes = llvm::alignTo(stage.bytes, layout.alignment());
    stage.slotOffsets.push_back(stage.bytes);
    stage.bytes += layout.size_bytes();
    stage.alignment = std::max(stage.alignment, layout.alignment());
  }
  stage.bytes = llvm::alignTo(stage.bytes, stage.alignment);
  return stage;
}
