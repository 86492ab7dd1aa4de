// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All of the tile dialect, for tablegen.

include "dialects/Tile/IR/ComputeOps.td"
include "dialects/Tile/IR/KernelOps.td"
include "dialects/Tile/IR/MemoryOps.td"
