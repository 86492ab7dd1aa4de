// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops on register tiles that arith, math and scf lack: products, reductions, broadcasts, splats, index tiles.

#ifndef TEGULA_DIALECTS_TILE_IR_COMPUTEOPS_TD
#define TEGULA_DIALECTS_TILE_IR_COMPUTEOPS_TD

include "dialects/Tile/IR/TileTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_MmaOp : Tile_Op<"mma"> {
  let summary = "d = a . b + c on the tensor cores";
  let description = [{
    `a` is [m, k], in shared memory or registers; `b` is [k, n], in shared memory; `c` and `d` are [m, n]. Returns at
    once: `d` is waited for where it is first used.
    ```mlir
    %d = tile.mma %a, %b, %c : (!tile.view<64x64xbf16, shared>, !tile.view<64x256xbf16, shared>, tensor<64x256xf32>)
                             -> tensor<64x256xf32>
    ```
    M1: all have rank 2 and m, n, k agree; d has the shape and type of c.  M2: views are in shared memory.
    M3: the element types are a combination that a tensor core has (PTX ISA 9.0, wgmma.mma_async): f16 with f16 or f32
    sums; bf16 or tf32 (f32 elements) with f32 sums; e4m3 and e5m2 mixed with f16 or f32 sums; i8 with i32 sums.
  }];
  let arguments = (ins Arg<Tile_ViewOrTensor, "", [MemRead]>:$a, Arg<Tile_ViewType, "", [MemRead]>:$b, Tile_Tensor:$c);
  let results = (outs Tile_Tensor:$d);
  let assemblyFormat = "$a `,` $b `,` $c attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Tile_ReduceOp : Tile_Op<"reduce", [Pure]> {
  let summary = "combines a register tile along one dim";
  let description = [{
    The dim disappears. NaN wins in `max` and `min`. The order of the sum is the compiler's, the same on every run.
    ```mlir
    %r = tile.reduce %t, add dim 1 : tensor<64x256xf32> to tensor<64xf32>
    ```
    E1: `dim` is a dim of the source.  E2: the result's shape is the source's without it; element types are equal.
  }];
  let arguments = (ins Tile_Tensor:$source, Tile_ReduceKind:$kind, I64Attr:$dim);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source `,` $kind `dim` $dim attr-dict "
                       "`:` qualified(type($source)) `to` qualified(type($result))";
  let hasVerifier = 1;
}

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure]> {
  let summary = "repeats a register tile along a new dim";
  let description = [{
    ```mlir
    %b = tile.broadcast %r dim 1 : tensor<64xf32> to tensor<64x256xf32>
    ```
    B1: `dim` is a dim of the result.  B2: the source's shape is the result's without it; element types are equal.
  }];
  let arguments = (ins Tile_Tensor:$source, I64Attr:$dim);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source `dim` $dim attr-dict `:` qualified(type($source)) `to` qualified(type($result))";
  let hasVerifier = 1;
}

def Tile_SplatOp : Tile_Op<"splat", [Pure]> {
  let summary = "a register tile with one scalar everywhere";
  let description = [{
    ```mlir
    %s = tile.splat %alpha : f32 to tensor<64x256xf32>
    ```
    P1: the tile's element type is the scalar's.
  }];
  let arguments = (ins Tile_Scalar:$scalar);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$scalar attr-dict `:` qualified(type($scalar)) `to` qualified(type($result))";
  let hasVerifier = 1;
}

def Tile_IotaOp : Tile_Op<"iota", [Pure]> {
  let summary = "a register tile whose elements are their own coordinate along one dim";
  let description = [{
    ```mlir
    %i = tile.iota dim 1 : tensor<64x256xi32>
    ```
    I1: `dim` is a dim of the tile.  I2: elements are i32 or i64.
  }];
  let arguments = (ins I64Attr:$dim);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "`dim` $dim attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
}

#endif
