// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops on tiles in memory: rings and shared tiles, views of tensors and of tiles, copies, loads and stores.

#ifndef TEGULA_DIALECTS_TILE_IR_MEMORYOPS_TD
#define TEGULA_DIALECTS_TILE_IR_MEMORYOPS_TD

include "dialects/Tile/IR/TileTypes.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_RingOp : Tile_Op<"ring", [DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "a pipeline of stages in shared memory";
  let description = [{
    One role produces its slots, others consume them; barriers, phases and releases are derived.
    ```mlir
    %r = tile.ring : !tile.ring<4 x [!tile.view<128x64xbf16, shared>]>
    ```
  }];
  let results = (outs Res<Tile_RingType, "", [MemAlloc]>:$result);
  let assemblyFormat = "attr-dict `:` qualified(type($result))";
}

class Tile_SlotsOp<string mnemonic> : Tile_Op<mnemonic, [
    DeclareOpInterfaceMethods<InferTypeOpInterface>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let arguments = (ins Arg<Tile_RingType, "", [MemRead, MemWrite]>:$ring);
  let results = (outs Variadic<Tile_ViewType>:$slots);
  let assemblyFormat = "$ring attr-dict `:` qualified(type($ring))";
}

def Tile_ProduceOp : Tile_SlotsOp<"produce"> {
  let summary = "takes the ring's next free stage, to be filled";
  let description = [{
    Waits until all who read the stage's old content are done. What fills the slots completes the stage.
    ```mlir
    %a, %b = tile.produce %r : !tile.ring<4 x [!tile.view<128x64xbf16, shared>, !tile.view<256x64xbf16, shared>]>
    ```
  }];
}

def Tile_ConsumeOp : Tile_SlotsOp<"consume"> {
  let summary = "takes the ring's next filled stage, to be read";
  let description = [{
    Waits until the stage is filled; the stage is freed when its last reader has completed.
    ```mlir
    %a, %b = tile.consume %r : !tile.ring<4 x [!tile.view<128x64xbf16, shared>, !tile.view<256x64xbf16, shared>]>
    ```
  }];
}

def Tile_AllocOp : Tile_Op<"alloc"> {
  let summary = "a tile in shared memory that the block owns";
  let description = [{
    `padding` adds that many unused elements to each row; without it the compiler chooses a layout without conflicts.
    ```mlir
    %s = tile.alloc : !tile.view<64x65xf32, shared>
    ```
    A1: the view is in shared memory.  A2: `padding` is not negative.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$padding);
  let results = (outs Res<Tile_ViewType, "", [MemAlloc]>:$result);
  let assemblyFormat = "attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
}

def Tile_SliceOp : Tile_Op<"slice", [Pure]> {
  let summary = "a tile of a tensor in global memory";
  let description = [{
    `offsets` are in elements, one a dim. The view may have a lower rank: leading dims then have extent 1.
    ```mlir
    %v = tile.slice %A[%o0, %o1] : !tile.global<?x?xbf16, unit = 1> to !tile.view<128x64xbf16, global>
    ```
    S1: an offset a dim.  S2: the view is global, its rank at most the tensor's.  S3: element types are equal.
  }];
  let arguments = (ins Tile_GlobalType:$source, Variadic<Index>:$offsets);
  let results = (outs Tile_ViewType:$result);
  let assemblyFormat = "$source `[` $offsets `]` attr-dict `:` qualified(type($source)) `to` qualified(type($result))";
  let hasVerifier = 1;
}

def Tile_WindowOp : Tile_Op<"window", [Pure, InferTypeOpAdaptor]> {
  let summary = "some rows of a tensor, as a tensor of its own";
  let description = [{
    Elements `first` to `first + count - 1` along `dim`; what lies outside of them reads as 0 and is not written, though
    the tensor goes on there. Where the window would leave the tensor it ends with it. Offsets in a window are not
    negative.
    ```mlir
    %w = tile.window %A[0 : %first, %count] : !tile.global<?x?xbf16, unit = 1>
    ```
    N1: `dim` is one of the tensor's dims.  N2: the tensor is an argument of the kernel.
  }];
  let arguments = (ins Tile_GlobalType:$source, I64Attr:$dim, Index:$first, Index:$count);
  let results = (outs Tile_GlobalType:$result);
  let assemblyFormat = "$source `[` $dim `:` $first `,` $count `]` attr-dict `:` qualified(type($source))";
  let hasVerifier = 1;
}

def Tile_SubviewOp : Tile_Op<"subview", [Pure]> {
  let summary = "a part of a tile in memory";
  let description = [{
    ```mlir
    %w = tile.subview %v[%o0, %o1] : !tile.view<128x64xbf16, shared> to !tile.view<64x64xbf16, shared>
    ```
    W1: an offset a dim; ranks, spaces and element types are equal.  W2: no extent exceeds the source's.
  }];
  let arguments = (ins Tile_ViewType:$source, Variadic<Index>:$offsets);
  let results = (outs Tile_ViewType:$result);
  let assemblyFormat = "$source `[` $offsets `]` attr-dict `:` qualified(type($source)) `to` qualified(type($result))";
  let hasVerifier = 1;
}

def Tile_TransposeOp : Tile_Op<"transpose", [Pure]> {
  let summary = "the same tile with its dims permuted";
  let description = [{
    Dim `i` of the result is dim `permutation[i]` of the source. Of a view it costs nothing.
    ```mlir
    %t = tile.transpose %v permutation = [1, 0] : !tile.view<256x64xbf16, shared> to !tile.view<64x256xbf16, shared>
    ```
    X1: `permutation` permutes the dims.  X2: the result's shape is the source's, permuted; element types, and spaces of
    views, are equal.
  }];
  let arguments = (ins Tile_ViewOrTensor:$source, DenseI64ArrayAttr:$permutation);
  let results = (outs Tile_ViewOrTensor:$result);
  let assemblyFormat = "$source `permutation` `=` $permutation attr-dict "
                       "`:` qualified(type($source)) `to` qualified(type($result))";
  let hasVerifier = 1;
}

def Tile_CopyOp : Tile_Op<"copy"> {
  let summary = "moves one tile between memory spaces";
  let description = [{
    Every element of `source` goes to the same place in `destination`. `warp` picks the way (TMA, plain stores). Reads
    outside the tensor give zero; writes outside are dropped. With `accumulate` it adds to what the destination holds,
    in no fixed order. `cache` tells L2 what to expect.
    ```mlir
    tile.copy %a to %slot cache evict_last : !tile.view<128x64xbf16, global> to !tile.view<128x64xbf16, shared>
    ```
    C1: shapes are equal.  C2: element types are equal.  C3: at most one side is `global`.
    C4: `accumulate` goes to `global`, in f32, f16, bf16 or i32 (PTX ISA 9.0, cp.reduce.async.bulk).
  }];
  let arguments = (ins Arg<Tile_ViewType, "", [MemRead]>:$source, Arg<Tile_ViewType, "", [MemWrite]>:$destination,
                       UnitAttr:$accumulate, OptionalAttr<Tile_CacheHint>:$cache);
  let assemblyFormat = "$source `to` $destination (`cache` $cache^)? attr-dict "
                       "`:` qualified(type($source)) `to` qualified(type($destination))";
  let hasVerifier = 1;
}

def Tile_LoadOp : Tile_Op<"load"> {
  let summary = "reads a tile in memory into registers";
  let description = [{
    What lies outside the tensor reads as `fill`, 0 by default.
    ```mlir
    %x = tile.load %v {fill = 0xFF800000 : f32} : !tile.view<64x128xf32, global> to tensor<64x128xf32>
    ```
    L1: shapes are equal.  L2: element types are equal.  L3: `fill` has the element type, and the view is `global`.
  }];
  let arguments = (ins Arg<Tile_ViewType, "", [MemRead]>:$source, OptionalAttr<TypedAttrInterface>:$fill,
                       OptionalAttr<Tile_CacheHint>:$cache);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source (`cache` $cache^)? attr-dict "
                       "`:` qualified(type($source)) `to` qualified(type($result))";
  let hasVerifier = 1;
}

def Tile_ReadOp : Tile_Op<"read"> {
  let summary = "reads one element of a tensor in global memory";
  let description = [{
    For lengths, offsets and table entries: the same value for all who run it. Outside the tensor it is 0.
    ```mlir
    %n = tile.read %lengths[%b] : !tile.global<?xi32, unit = 0> to i32
    ```
    D1: an index a dim.  D2: the result has the element type.
  }];
  let arguments = (ins Arg<Tile_GlobalType, "", [MemRead]>:$source, Variadic<Index>:$indices);
  let results = (outs Tile_Scalar:$result);
  let assemblyFormat = "$source `[` $indices `]` attr-dict `:` qualified(type($source)) `to` type($result)";
  let hasVerifier = 1;
}

def Tile_StoreOp : Tile_Op<"store"> {
  let summary = "writes a register tile to memory";
  let description = [{
    Writes outside the tensor are dropped. `accumulate` and `cache` are as for `tile.copy`.
    ```mlir
    tile.store %x, %v : tensor<64x128xf32> to !tile.view<64x128xf32, global>
    ```
    O1: shapes are equal.  O2: element types are equal.  O3: `accumulate` as C4.
  }];
  let arguments = (ins Tile_Tensor:$value, Arg<Tile_ViewType, "", [MemWrite]>:$destination, UnitAttr:$accumulate,
                       OptionalAttr<Tile_CacheHint>:$cache);
  let assemblyFormat = "$value `,` $destination (`cache` $cache^)? attr-dict "
                       "`:` qualified(type($value)) `to` qualified(type($destination))";
  let hasVerifier = 1;
}

#endif
