// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared memory, and the ways between it, registers and tensors in global memory.

#ifndef TEGULA_DIALECTS_WARP_IR_MEMORYOPS_TD
#define TEGULA_DIALECTS_WARP_IR_MEMORYOPS_TD

include "dialects/Warp/IR/WarpDialect.td"
include "dialects/Tile/IR/TileTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Warp_AllocOp : Warp_Op<"alloc"> {
  let summary = "a shared tile of the block, or of each instance of the role around it";
  let description = [{
    ```mlir
    %s = warp.alloc : !tile.view<64x64xbf16, shared, #warp.shared<…>>
    ```
    A1: the view has a layout.
  }];
  let arguments = (ins UnitAttr:$per_instance, OptionalAttr<I64Attr>:$offset);
  let results = (outs Res<Tile_ViewType, "", [MemAlloc]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

class Warp_GlobalAccess<string mnemonic, list<Trait> traits = []> : Warp_Op<mnemonic, traits>;

def Warp_TmaLoadOp : Warp_GlobalAccess<"tma_load"> {
  let summary = "TMA brings a tile of a tensor into a ring's slot";
  let description = [{
    With `multicast` the tile is divided along that dim; each block of the cluster loads its part and sends it to all.
    Offsets are in elements.
    ```mlir
    warp.tma_load %A[%i, %k] to %a of %r {multicast = 0} : !tile.global<…>, !tile.view<…>, !tile.ring<…>
    ```
  }];
  let arguments = (ins Arg<Tile_GlobalType, "", [MemRead]>:$source, Variadic<Index>:$offsets,
                       Arg<Tile_ViewType, "", [MemWrite]>:$slot, Tile_RingType:$ring,
                       OptionalAttr<I64Attr>:$multicast, OptionalAttr<Tile_CacheHint>:$cache);
  let assemblyFormat = [{
    $source `[` $offsets `]` `to` $slot `of` $ring attr-dict `:` type($source) `,` type($slot) `,` type($ring)
  }];
}

def Warp_TmaStoreOp : Warp_GlobalAccess<"tma_store"> {
  let summary = "registers go to a tensor by TMA, through a staging tile of the instance";
  let description = [{
    The staging tile has a leading dim of buffers; the tile is stored in as many pieces along its last dim (its first,
    where the tensor's unit dim is the tile's first) as the buffers ask for. A buffer is used again only when its store
    has been read. With `accumulate` the pieces are added to the tensor.
    ```mlir
    warp.tma_store %x to %C[%i, %j] through %s : tensor<64x256xbf16, …>, !tile.global<…>, !tile.view<2x64x64xbf16, …>
    ```
  }];
  let arguments = (ins Tile_Tensor:$value, Arg<Tile_GlobalType, "", [MemWrite]>:$destination, Variadic<Index>:$offsets,
                       Arg<Tile_ViewType, "", [MemWrite]>:$staging, UnitAttr:$accumulate,
                       OptionalAttr<Tile_CacheHint>:$cache);
  let assemblyFormat = [{
    $value `to` $destination `[` $offsets `]` `through` $staging attr-dict
    `:` type($value) `,` type($destination) `,` type($staging)
  }];
}

def Warp_LoadGlobalOp : Warp_GlobalAccess<"load_global"> {
  let summary = "threads read a tile of a tensor into registers";
  let description = [{
    What lies outside the tensor reads as `fill`, 0 by default.
    ```mlir
    %x = warp.load_global %A[%i, %j] : !tile.global<…> to tensor<64x128xf32, …>
    ```
  }];
  let arguments = (ins Arg<Tile_GlobalType, "", [MemRead]>:$source, Variadic<Index>:$offsets,
                       OptionalAttr<TypedAttrInterface>:$fill, OptionalAttr<Tile_CacheHint>:$cache);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source `[` $offsets `]` attr-dict `:` type($source) `to` type($result)";
}

def Warp_StoreGlobalOp : Warp_GlobalAccess<"store_global"> {
  let summary = "threads write a register tile to a tensor";
  let description = [{
    What lies outside the tensor is dropped.
    ```mlir
    warp.store_global %x to %C[%i, %j] : tensor<64x128xf32, …> to !tile.global<…>
    ```
  }];
  let arguments = (ins Tile_Tensor:$value, Arg<Tile_GlobalType, "", [MemWrite]>:$destination, Variadic<Index>:$offsets,
                       OptionalAttr<Tile_CacheHint>:$cache);
  let assemblyFormat = "$value `to` $destination `[` $offsets `]` attr-dict `:` type($value) `to` type($destination)";
}

#endif
