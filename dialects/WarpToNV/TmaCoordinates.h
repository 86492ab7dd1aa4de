// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The coordinates of a TMA copy, from where a tile begins in its tensor.

#ifndef TEGULA_DIALECTS_WARPTONV_TMACOORDINATES_H
#define TEGULA_DIALECTS_WARPTONV_TMACOORDINATES_H

#include "dialects/WarpToNV/Emitter.h"

namespace tegula {

/// Coordinates, innermost first, of the box that begins `step` elements behind `offsets` (i32, a value a dim of the
/// tensor; `step` a number a dim of the tile) in `tensor`, the kernel's argument or a window of it.
llvm::SmallVector<mlir::Value> tmaCoordinates(Emitter &e, const TmaUse &use, mlir::Value tensor,
                                              llvm::ArrayRef<mlir::Value> offsets, layout::Coordinates step);

} // namespace tegula

#endif // TEGULA_DIALECTS_WARPTONV_TMACOORDINATES_H
