// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Warp/IR/SharedBudget.h"
#include "dialects/Warp/IR/RingStage.h"

#include "llvm/Support/MathExtras.h"

using namespace tegula;
using namespace tegula::warp;

int64_t tegula::warp::ringBytes(RingOp ring) {
  auto type = ring.getResult().getType();
  return type.getStages() * (ringStage(type).bytes + 2 * kBarrierBytes);
}

int64_t tegula::warp::allocBytes(AllocOp alloc) {
  layout::SharedLayout layout = layoutOf(alloc.getResult().getType());
  int64_t bytes = llvm::alignTo(layout.size_bytes(), layout.alignment());
  if (!alloc.getPerInstance())
    return bytes;
  return bytes * static_cast<int64_t>(alloc->getParentOfType<tile::RoleOp>().getInstances());
}

int64_t tegula::warp::sharedBytesLeft(tile::KernelOp kernel) {
  int64_t used = kSharedAlignment; // the barriers' end up to the next tile
  kernel.walk([&](RingOp ring) { used += ringBytes(ring); });
  kernel.walk([&](AllocOp alloc) { used += static_cast<int64_t>(llvm::alignTo(allocBytes(alloc), kSharedAlignment)); });
  return std::max<int64_t>(0, kMaxSharedBytes - used);
}
