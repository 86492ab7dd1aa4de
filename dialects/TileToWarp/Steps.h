// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The steps of convert-tile-to-warp, in their order; each in the file that its comment names.

#ifndef TEGULA_DIALECTS_TILETOWARP_STEPS_H
#define TEGULA_DIALECTS_TILETOWARP_STEPS_H

#include "dialects/Warp/IR/WarpDialect.h"

namespace tegula {

/// Rings.cpp: `tile.ring`, `produce`, `consume` and TMA's copies become guarded rings. Slots keep their values.
mlir::LogicalResult convertRings(tile::KernelOp kernel);
/// Products.cpp: `tile.mma` becomes asynchronous.
void convertProducts(tile::KernelOp kernel);
/// GlobalStores.cpp: loads and stores of tensors, by TMA or by threads. Runs after the rings, whose bytes it must know.
mlir::LogicalResult convertGlobalAccesses(tile::KernelOp kernel);
/// GlobalStores.cpp: `tile.alloc`, and changes of layout that need shared memory.
void convertAllocs(tile::KernelOp kernel);
/// Roles.cpp: first warps, registers, threads of the block.
mlir::LogicalResult placeRoles(tile::KernelOp kernel);

} // namespace tegula

#endif // TEGULA_DIALECTS_TILETOWARP_STEPS_H
