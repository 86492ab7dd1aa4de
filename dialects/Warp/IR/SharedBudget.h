// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a block's shared memory holds, in bytes: the one place that adds it up.

#ifndef TEGULA_DIALECTS_WARP_IR_SHAREDBUDGET_H
#define TEGULA_DIALECTS_WARP_IR_SHAREDBUDGET_H

#include "dialects/Warp/IR/WarpDialect.h"

namespace tegula::warp {

/// Shared memory that a block may have: 227 KiB (CUDA programming guide, compute capabilities 9.0 and 10.0).
inline constexpr int64_t kMaxSharedBytes = 232448;
/// Tiles start at multiples of this at most: the repeat of the widest swizzle.
inline constexpr int64_t kSharedAlignment = 1024;
inline constexpr int64_t kBarrierBytes = 8;

/// Bytes of all stages and of both barriers of each stage.
int64_t ringBytes(RingOp ring);
/// Bytes of the tile, for each instance of the role around it when it is one an instance.
int64_t allocBytes(AllocOp alloc);
/// What rings and allocations of the kernel leave, less what alignment may cost.
int64_t sharedBytesLeft(tile::KernelOp kernel);

} // namespace tegula::warp

#endif // TEGULA_DIALECTS_WARP_IR_SHAREDBUDGET_H
