// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The warp dialect: its layout attributes and its ops. The manual is in the .td files beside this one.

#ifndef TEGULA_DIALECTS_WARP_IR_WARPDIALECT_H
#define TEGULA_DIALECTS_WARP_IR_WARPDIALECT_H

#include "compiler/layout/fragment.h"
#include "compiler/layout/swizzle.h"
#include "dialects/Tile/IR/TileDialect.h"

#include "mlir/IR/TensorEncoding.h"

// Generated accessors leave parameters unused.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

#include "dialects/Warp/IR/WarpDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Warp/IR/WarpAttrs.h.inc"

#define GET_OP_CLASSES
#include "dialects/Warp/IR/WarpOps.h.inc"

#pragma GCC diagnostic pop

namespace tegula::warp {

/// The layout of a shared view. The view has one: `warp-assign-layouts` gives it.
layout::SharedLayout layoutOf(tile::ViewType view);
/// How a register tile is spread. The tensor has an encoding: `warp-assign-layouts` gives it.
layout::Fragment fragmentOf(mlir::RankedTensorType tensor);
inline layout::Fragment fragmentOf(mlir::Value tensor) {
  return fragmentOf(mlir::cast<mlir::RankedTensorType>(tensor.getType()));
}
mlir::RankedTensorType withFragment(mlir::RankedTensorType tensor, const layout::Fragment &fragment);
tile::ViewType withLayout(tile::ViewType view, const layout::SharedLayout &layout);
/// Bytes of an element as memory holds it; i1 takes one.
int64_t elementBytes(mlir::Type element);

} // namespace tegula::warp

#endif // TEGULA_DIALECTS_WARP_IR_WARPDIALECT_H
