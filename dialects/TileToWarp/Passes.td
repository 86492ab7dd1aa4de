// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes between tile and warp.

include "mlir/Pass/PassBase.td"

def TileExpandCopies : Pass<"tile-expand-copies", "::mlir::ModuleOp"> {
  let summary = "makes copies that TMA cannot do loads and stores of the role's threads";
  let description = [{
    Before: `tile.copy` between any two memories. After: what is left of them are copies from tensors to ring slots that
    TMA can do; the others are a `tile.load` and a `tile.store`. `warp.paths` on the kernel says, by tensor, which way
    was taken and why.
  }];
  let dependentDialects = ["::tegula::warp::WarpDialect"];
}

def TileLoopOverPieces : Pass<"tile-loop-over-pieces", "::mlir::ModuleOp"> {
  let summary = "walks large tiles that are only computed on element by element in pieces";
  let description = [{
    Before: tiles that are loaded from tensors, computed on element by element and stored, at once. After: those of more
    than 32 elements a thread are done by a loop over pieces along dim 0, with at most 16 elements a thread where rows
    divide so. Code and registers then no longer grow with the tile.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
}

def ConvertTileToWarp : Pass<"convert-tile-to-warp", "::mlir::ModuleOp"> {
  let summary = "turns rings, copies, products and accesses to tensors into their guarded, asynchronous form";
  let description = [{
    Before: `tile` with layouts. After: rings know arrivals, bytes and blocks; products are asynchronous and nobody waits
    yet; tensors are reached by TMA or by threads, as their alignment allows; roles know their warps and registers.
  }];
  let dependentDialects = ["::tegula::warp::WarpDialect"];
}
