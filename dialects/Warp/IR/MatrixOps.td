// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asynchronous products, their waits, and changes of layout.

#ifndef TEGULA_DIALECTS_WARP_IR_MATRIXOPS_TD
#define TEGULA_DIALECTS_WARP_IR_MATRIXOPS_TD

include "dialects/Warp/IR/WarpDialect.td"
include "dialects/Tile/IR/TileTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Warp_MmaOp : Warp_Op<"mma"> {
  let summary = "issues d = a . b + c and commits it as a batch of its own";
  let description = [{
    `d` may not be touched before a `warp.mma_wait` that covers it, except as `c` of a later product of the same shape;
    what `a` and `b` read may not change before that either. `first`, where present and true, means d = a . b.
    ```mlir
    %d = warp.mma %a, %b, %c : (!tile.view<64x64xbf16, shared, …>, !tile.view<64x256xbf16, shared, …>,
                                tensor<64x256xf32, …>) -> tensor<64x256xf32, …>
    ```
    M1: c and d are laid out as accumulators of wgmma, a register tile `a` as its operand A (compiler/layout).
  }];
  let arguments = (ins Arg<Tile_ViewOrTensor, "", [MemRead]>:$a, Arg<Tile_ViewType, "", [MemRead]>:$b, Tile_Tensor:$c);
  let results = (outs Res<Tile_Tensor, "", [MemWrite]>:$d);
  let assemblyFormat = "$a `,` $b `,` $c attr-dict `:` functional-type(operands, $d)";
}

def Warp_MmaWaitOp : Warp_Op<"mma_wait", [AllTypesMatch<["values", "results"]>]> {
  let summary = "waits until at most `pending` of the newest products are in flight";
  let description = [{
    Every sum that the hardware may still write goes through: `values` come back as `results`.
    ```mlir
    %r = warp.mma_wait pending 1 (%d) : tensor<64x256xf32, …>
    ```
  }];
  let arguments = (ins I64Attr:$pending, Variadic<Tile_Tensor>:$values);
  let results = (outs Variadic<Tile_Tensor>:$results);
  let assemblyFormat = "`pending` $pending `(` $values `)` attr-dict (`:` type($values)^)?";
  let hasVerifier = 0;
}

def Warp_KeepOp : Warp_Op<"keep"> {
  let summary = "keeps a tile in its registers up to here";
  let description = [{
    Behind a wait, for an operand that the products waited for read in registers.
    ```mlir
    warp.keep %p : tensor<64x128xbf16, …>
    ```
  }];
  let arguments = (ins Tile_Tensor:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def Warp_ConvertLayoutOp : Warp_Op<"convert_layout", [Pure]> {
  let summary = "the same register tile, spread over the threads in another way";
  let description = [{
    Free where every thread already has what it needs; through shared memory otherwise.
    ```mlir
    %y = warp.convert_layout %x : tensor<64xf32, …> to tensor<64xf32, …>
    ```
  }];
  let arguments = (ins Tile_Tensor:$source);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
}

def Warp_PieceOp : Warp_Op<"piece", [Pure]> {
  let summary = "one of `count` equal parts of a register tile along a dim";
  let description = [{
    Takes registers and moves nothing: every thread holds its share of each part.
    ```mlir
    %p = warp.piece %x[1 of 4] dim 1 : tensor<64x256xbf16, …> to tensor<64x64xbf16, …>
    ```
    P1: `index` is below `count`, `count` divides the dim, and registers alone tell the parts apart.
  }];
  let arguments = (ins Tile_Tensor:$source, I64Attr:$index, I64Attr:$count, I64Attr:$dim);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source `[` $index `of` $count `]` `dim` $dim attr-dict `:` type($source) `to` type($result)";
}

def Warp_SyncOp : Warp_Op<"sync", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a barrier among the threads of one role instance";
  let description = [{
    ```mlir
    warp.sync
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif
