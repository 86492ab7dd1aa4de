// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How diagnostics of the tile dialect speak of shapes, and where a value got its shape.

#ifndef TEGULA_DIALECTS_TILE_IR_SHAPETEXT_H
#define TEGULA_DIALECTS_TILE_IR_SHAPETEXT_H

#include "mlir/IR/Value.h"

#include <string>

namespace tegula::tile {

/// "128x64"; "?" for a dynamic extent, "scalar" for no dims.
std::string shapeText(llvm::ArrayRef<int64_t> shape);

/// The op that gave a value its shape: for a slot, the ring's. Null for the argument of a region.
mlir::Operation *shapeOrigin(mlir::Value value);

/// Adds a note at the op that gave `value` its shape, where there is one.
void noteShapeOrigin(mlir::Diagnostic &diagnostic, mlir::Value value, llvm::StringRef what);

} // namespace tegula::tile

#endif // TEGULA_DIALECTS_TILE_IR_SHAPETEXT_H
