// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rings as pairs of barriers a stage, and what producers and consumers do at them.

#ifndef TEGULA_DIALECTS_WARP_IR_RINGOPS_TD
#define TEGULA_DIALECTS_WARP_IR_RINGOPS_TD

include "dialects/Warp/IR/WarpDialect.td"
include "dialects/Tile/IR/TileTypes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Warp_RingOp : Warp_Op<"ring"> {
  let summary = "a ring, each stage guarded by a full and an empty barrier";
  let description = [{
    `bytes` is what TMA brings into one stage of this block, whoever issued it; 0 where threads fill the stage.
    `full_arrivals` and `empty_arrivals` are the arrivals that complete a phase. `blocks` is the number of blocks of the
    cluster that fill each other's stages: consumers then free a stage in all of them. `turns` is the number of consumer
    instances that take the stages of a tile in turn; 1 where all of them read every stage. `offset` is where the stages
    begin in shared memory, `barriers` where their barriers do: all full ones, then all empty ones.
    ```mlir
    %r = warp.ring bytes 49152 full_arrivals 1 empty_arrivals 2 : !tile.ring<4 x [!tile.view<128x64xbf16, shared>]>
    ```
    R1: arrivals are positive and below 2^20 (PTX ISA 9.0, mbarrier).  R2: at most 2^20 - 1 bytes (ditto).
    R3: a ring that TMA fills has bytes; every slot has a layout.
  }];
  let arguments = (ins I64Attr:$bytes, I64Attr:$full_arrivals, I64Attr:$empty_arrivals,
                       DefaultValuedAttr<I64Attr, "1">:$blocks, DefaultValuedAttr<I64Attr, "1">:$turns,
                       OptionalAttr<I64Attr>:$offset, OptionalAttr<I64Attr>:$barriers);
  let results = (outs Res<Tile_RingType, "", [MemAlloc]>:$result);
  let assemblyFormat = [{
    `bytes` $bytes `full_arrivals` $full_arrivals `empty_arrivals` $empty_arrivals attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

class Warp_SlotsOp<string mnemonic> : Warp_Op<mnemonic> {
  let arguments = (ins Arg<Tile_RingType, "", [MemRead, MemWrite]>:$ring);
  let results = (outs Variadic<Tile_ViewType>:$slots);
  let assemblyFormat = "$ring attr-dict `:` functional-type($ring, $slots)";
}

def Warp_AcquireOp : Warp_SlotsOp<"acquire"> {
  let summary = "waits for the producer's next stage to be empty and, for TMA, arms its full barrier";
  let description = [{
    ```mlir
    %a = warp.acquire %r : (!tile.ring<4 x [!tile.view<…>]>) -> !tile.view<…>
    ```
  }];
}

def Warp_CommitOp : Warp_Op<"commit"> {
  let summary = "ends the producer's work on its stage and steps to the next one";
  let description = [{
    Where threads fill the stage they arrive at its full barrier here, after a proxy fence when `fence` is set: a tensor
    core or TMA reads what they wrote (PTX ISA 9.0, "Async proxy").
    ```mlir
    warp.commit %r : !tile.ring<4 x [!tile.view<…>]>
    ```
  }];
  let arguments = (ins Arg<Tile_RingType, "", [MemRead, MemWrite]>:$ring, UnitAttr:$fence);
  let assemblyFormat = "$ring attr-dict `:` type($ring)";
}

def Warp_WaitOp : Warp_SlotsOp<"wait"> {
  let summary = "waits for the consumer's next stage to be full and steps to the one behind it";
  let description = [{
    ```mlir
    %a = warp.wait %r : (!tile.ring<4 x [!tile.view<…>]>) -> !tile.view<…>
    ```
  }];
}

def Warp_ReleaseOp : Warp_Op<"release"> {
  let summary = "frees the oldest stage that this consumer has waited for and not freed";
  let description = [{
    All reads of the stage have completed. Stages are freed in the order in which they were waited for.
    ```mlir
    warp.release %r if %again : !tile.ring<4 x [!tile.view<…>]>
    ```
  }];
  let arguments = (ins Arg<Tile_RingType, "", [MemRead, MemWrite]>:$ring, Optional<I1>:$pred);
  let assemblyFormat = "$ring (`if` $pred^)? attr-dict `:` type($ring)";
}

#endif
