// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers the tile dialect.

#include "dialects/Tile/IR/TileDialect.h"

using namespace mlir;

#include "dialects/Tile/IR/TileDialect.cpp.inc"

namespace tegula::tile {

void TileDialect::initialize() {
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "dialects/Tile/IR/TileOps.cpp.inc"
      >();
}

} // namespace tegula::tile
