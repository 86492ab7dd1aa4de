// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/TileToWarp/Steps.h"

using namespace mlir;
using namespace tegula;

void tegula::convertProducts(tile::KernelOp kernel) {
  kernel.walk([](tile::MmaOp mma) {
    OpBuilder builder(mma);
    auto product = warp::MmaOp::create(builder, mma.getLoc(), mma.getD().getType(), mma.getA(), mma.getB(), mma.getC());
    mma.getD().replaceAllUsesWith(product.getD());
    mma.erase();
  });
}
