// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tile dialect: its types, enums and ops. The manual is in the .td files beside this one.

#ifndef TEGULA_DIALECTS_TILE_IR_TILEDIALECT_H
#define TEGULA_DIALECTS_TILE_IR_TILEDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

// Generated accessors leave parameters unused.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "dialects/Tile/IR/TileDialect.h.inc"
#include "dialects/Tile/IR/TileEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Tile/IR/TileTypes.h.inc"

#define GET_OP_CLASSES
#include "dialects/Tile/IR/TileOps.h.inc"
#pragma GCC diagnostic pop

namespace tegula::tile {

/// The kernel's argument that `tensor` is, or is a window of; null where it is neither.
mlir::BlockArgument argumentOf(mlir::Value tensor);

} // namespace tegula::tile

#endif // TEGULA_DIALECTS_TILE_IR_TILEDIALECT_H
