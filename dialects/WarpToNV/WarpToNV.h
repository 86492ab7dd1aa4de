// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The step from `warp` to `nv`, and the description of the kernel that a launch needs.

#ifndef TEGULA_DIALECTS_WARPTONV_WARPTONV_H
#define TEGULA_DIALECTS_WARPTONV_WARPTONV_H

#include "dialects/NV/IR/NVDialect.h"
#include "dialects/Warp/IR/WarpDialect.h"
#include "mlir/Pass/Pass.h"
#include "runtime/launch/manifest.h"

namespace tegula {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "dialects/WarpToNV/Passes.h.inc"

/// Replaces the kernel by an `nv.kernel` and fills the manifest with all that its launch needs: parameters, tensor maps,
/// grid, cluster, shared memory. What only later stages know (entry, assembler, resources) is left alone.
mlir::LogicalResult convertWarpToNV(tile::KernelOp kernel, KernelManifest &manifest);

} // namespace tegula

#endif // TEGULA_DIALECTS_WARPTONV_WARPTONV_H
