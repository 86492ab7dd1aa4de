// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All of the warp dialect, for tablegen.

include "dialects/Warp/IR/MatrixOps.td"
include "dialects/Warp/IR/MemoryOps.td"
include "dialects/Warp/IR/RingOps.td"
