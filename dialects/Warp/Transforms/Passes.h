// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of the warp dialect. Passes.td describes them.

#ifndef TEGULA_DIALECTS_WARP_TRANSFORMS_PASSES_H
#define TEGULA_DIALECTS_WARP_TRANSFORMS_PASSES_H

#include "dialects/Warp/IR/WarpDialect.h"
#include "mlir/Pass/Pass.h"

namespace tegula::warp {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "dialects/Warp/Transforms/Passes.h.inc"

} // namespace tegula::warp

#endif // TEGULA_DIALECTS_WARP_TRANSFORMS_PASSES_H
