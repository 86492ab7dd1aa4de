// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bulk copies: through a tensor map (TMA) or of plain bytes, and the groups that count them.
#ifndef TEGULA_NV_TMA_OPS_TD
#define TEGULA_NV_TMA_OPS_TD

include "NVTypes.td"
include "NVEnums.td"

def NV_TmaLoadOp : NV_EffectOp<"tma.load", [AttrSizedOperandSegments]> {
  let summary = "copies one box of a tensor into shared memory and reports its bytes to a barrier";
  let description = [{
    One thread issues it. Coordinates are elements, innermost dimension first. With `multicast` the box and its bytes
    land at the same offset in each block of the mask.
    ```mlir
    nv.tma.load %map[%k, %row] to %slot, %full cache evict_first if %elected
    nv.tma.load %map[%k, %row] to %slot, %full multicast %mask
    ```
    T1: 1 to 5 coordinates.  (PTX cp.async.bulk.tensor)
    T2: a constant multicast mask names at least one block.
    T3: the shared address, where it is a constant offset from the base, is a multiple of 128.
    T4: the map is an argument of the kernel: the unit reads it from constant memory.
    T5: issued under a predicate or a condition, never by all threads of the kernel alike.
  }];
  let arguments = (ins NV_TensorMap:$map, Variadic<I32>:$coordinates, NV_Shared:$destination, NV_MBarrier:$barrier,
                       Optional<I16>:$multicast, Optional<I1>:$predicate, OptionalAttr<NV_L2PolicyAttr>:$cache);
  let builders = [OpBuilder<(ins "::mlir::Value":$map, "::mlir::ValueRange":$coordinates,
                                 "::mlir::Value":$destination, "::mlir::Value":$barrier,
                                 CArg<"::mlir::Value", "{}">:$multicast, CArg<"::mlir::Value", "{}">:$predicate,
                                 CArg<"::std::optional<L2Policy>", "{}">:$cache)>];
  let assemblyFormat = [{
    $map `[` $coordinates `]` `to` $destination `,` $barrier (`multicast` $multicast^)? (`cache` $cache^)?
    (`if` $predicate^)? attr-dict
  }];
  let hasVerifier = 1;
}

class NV_TmaOutOp<string mnemonic, dag extra> : NV_EffectOp<mnemonic, [AttrSizedOperandSegments]> {
  let arguments = !con(extra, (ins NV_TensorMap:$map, Variadic<I32>:$coordinates, NV_Shared:$source,
                                   Optional<I1>:$predicate, OptionalAttr<NV_L2PolicyAttr>:$cache));
  let hasVerifier = 1;
}

def NV_TmaStoreOp : NV_TmaOutOp<"tma.store", (ins)> {
  let summary = "copies one box from shared memory to a tensor; joins the thread's next bulk group";
  let description = [{
    Parts of the box outside the tensor are dropped, in the innermost dimension only in steps of 16 bytes.
    ```mlir
    nv.tma.store %map[%col, %row] from %tile if %elected
    nv.bulk.commit
    nv.bulk.wait pending = 0 read
    ```
    T1, T3, T4, T5 as for `nv.tma.load`.
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$map, "::mlir::ValueRange":$coordinates, "::mlir::Value":$source,
                                 CArg<"::mlir::Value", "{}">:$predicate,
                                 CArg<"::std::optional<L2Policy>", "{}">:$cache)>];
  let assemblyFormat = [{
    $map `[` $coordinates `]` `from` $source (`cache` $cache^)? (`if` $predicate^)? attr-dict
  }];
}

def NV_TmaReduceOp : NV_TmaOutOp<"tma.reduce", (ins NV_ReduceKindAttr:$kind)> {
  let summary = "combines one box from shared memory into a tensor, element by element, in no fixed order";
  let description = [{
    `nv.tma.reduce add %map[%col, %row] from %tile if %elected`
    T1, T3, T4, T5 as for `nv.tma.load`.
  }];
  let builders = [OpBuilder<(ins "ReduceKind":$kind, "::mlir::Value":$map, "::mlir::ValueRange":$coordinates,
                                 "::mlir::Value":$source, CArg<"::mlir::Value", "{}">:$predicate,
                                 CArg<"::std::optional<L2Policy>", "{}">:$cache)>];
  let assemblyFormat = [{
    $kind $map `[` $coordinates `]` `from` $source (`cache` $cache^)? (`if` $predicate^)? attr-dict
  }];
}

def NV_TmaPrefetchMapOp : NV_EffectOp<"tma.prefetch_map"> {
  let summary = "fetches a tensor map before its first use";
  let description = [{
    `nv.tma.prefetch_map %map if %elected`
    T4: the map is an argument of the kernel.
  }];
  let arguments = (ins NV_TensorMap:$map, Optional<I1>:$predicate);
  let assemblyFormat = "$map (`if` $predicate^)? attr-dict";
  let hasVerifier = 1;
}

def NV_BulkLoadOp : NV_EffectOp<"bulk.load", [AttrSizedOperandSegments]> {
  let summary = "copies consecutive bytes of global memory into shared memory and reports them to a barrier";
  let description = [{
    `nv.bulk.load %ptr to %dst, %full, %bytes if %elected`; both addresses are multiples of 16.
    U1: constant bytes are a multiple of 16, at least 16.  (PTX cp.async.bulk)
    T5 as for `nv.tma.load`.
  }];
  let arguments = (ins NV_GlobalPtr:$source, NV_Shared:$destination, NV_MBarrier:$barrier, I32:$bytes,
                       Optional<I16>:$multicast, Optional<I1>:$predicate, OptionalAttr<NV_L2PolicyAttr>:$cache);
  let builders = [OpBuilder<(ins "::mlir::Value":$source, "::mlir::Value":$destination, "::mlir::Value":$barrier,
                                 "::mlir::Value":$bytes, CArg<"::mlir::Value", "{}">:$multicast,
                                 CArg<"::mlir::Value", "{}">:$predicate,
                                 CArg<"::std::optional<L2Policy>", "{}">:$cache)>];
  let assemblyFormat = [{
    $source `to` $destination `,` $barrier `,` $bytes (`multicast` $multicast^)? (`cache` $cache^)?
    (`if` $predicate^)? attr-dict
  }];
  let hasVerifier = 1;
}

def NV_BulkStoreOp : NV_EffectOp<"bulk.store"> {
  let summary = "copies consecutive bytes of shared memory to global memory; joins the thread's next bulk group";
  let description = [{
    `nv.bulk.store %src to %ptr, %bytes if %elected`; both addresses are multiples of 16.
    U1: constant bytes are a multiple of 16, at least 16.  (PTX cp.async.bulk)
    T5 as for `nv.tma.load`.
  }];
  let arguments = (ins NV_Shared:$source, NV_GlobalPtr:$destination, I32:$bytes, Optional<I1>:$predicate);
  let assemblyFormat = "$source `to` $destination `,` $bytes (`if` $predicate^)? attr-dict";
  let hasVerifier = 1;
}

def NV_BulkCommitOp : NV_EffectOp<"bulk.commit"> {
  let summary = "closes the thread's bulk group of stores";
  let description = [{ `nv.bulk.commit` }];
  let assemblyFormat = "attr-dict";
}

def NV_BulkWaitOp : NV_EffectOp<"bulk.wait"> {
  let summary = "waits until at most `pending` of the thread's bulk groups are unfinished";
  let description = [{
    `nv.bulk.wait pending = 0 read`: with `read`, until their sources have been read; without, until they are written.
    U2: pending is 0 or more.
  }];
  let arguments = (ins I32Attr:$pending, UnitAttr:$read);
  let assemblyFormat = "`pending` `=` $pending (`read` $read^)? attr-dict";
  let hasVerifier = 1;
}

#endif
