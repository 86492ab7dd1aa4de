// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All op families of `nv`, for the generator.
include "ControlOps.td"
include "BarrierOps.td"
include "ClusterOps.td"
include "TmaOps.td"
include "WgmmaOps.td"
include "MatrixOps.td"
include "MemoryOps.td"
include "LaneOps.td"
