// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The step from `tile` to `warp`: which way every tile goes, which rings guard it, which warps play which role.
// Expects layouts: warp-assign-shared-layouts runs before tile-expand-copies, warp-assign-fragments before
// convert-tile-to-warp.

#ifndef TEGULA_DIALECTS_TILETOWARP_TILETOWARP_H
#define TEGULA_DIALECTS_TILETOWARP_TILETOWARP_H

#include "dialects/Warp/IR/WarpDialect.h"
#include "mlir/Pass/Pass.h"

namespace tegula {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "dialects/TileToWarp/Passes.h.inc"

} // namespace tegula

#endif // TEGULA_DIALECTS_TILETOWARP_TILETOWARP_H
