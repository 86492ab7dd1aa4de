// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that frame a kernel: the kernel, its roles, its index space of tiles, turns, and the order of dependent launches.

#ifndef TEGULA_DIALECTS_TILE_IR_KERNELOPS_TD
#define TEGULA_DIALECTS_TILE_IR_KERNELOPS_TD

include "dialects/Tile/IR/TileTypes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_KernelOp : Tile_Op<"kernel", [
    Symbol, IsolatedFromAbove, SingleBlockImplicitTerminator<"ReturnOp">,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "one kernel: its arguments, its target, its body";
  let description = [{
    The arguments are the tensors in global memory, then the extents (`index`), then the scalars; their names are the
    kernel's interface and stand in `arg_names`. `dims` names, for each dim of a tensor, the argument that is its
    extent, or gives a constant. `align` promises the byte alignment of a tensor's base and of each of its strides but
    the unit one: 16 makes TMA possible, the element's size promises nothing. `multiple` promises that an extent is a
    multiple; `min_align` holds it where it holds the alignment of a tensor. `as` names the element type that a caller
    sees, where the IR's type does not tell (u8 is i8 here). Where no role stands in the body, all of it is one role of
    all warps. `cluster` gives the blocks a cluster; `schedule` is free-form and ends up in the manifest.
    ```mlir
    tile.kernel @scale(%A: !tile.global<?x?xbf16, unit = 1> dims ["M", "K"] align 16, %M: index multiple 8,
                       %K: index, %alpha: f32) target "sm_90a" cluster [1, 1, 1] {
    }
    ```
    K1: each argument has a name; names are identifiers and differ.  K2: globals, then `index`, then scalars.
    K3: each dim of a global is the name of an index argument or a positive constant that agrees with the type.
    K4: `align` is a power of two, at least the element's size and at most 256; `multiple` is at least 1; 0 for scalars.
    K5: `cluster` has three positive extents of product at most 16 (8 are portable: CUDA programming guide, "Thread
    block clusters").  K6: roles have different names and at most 32 warps in all (1024 threads a block).
    K7: beside roles the body holds no op that touches memory.  K8: a ring that is used is produced by one role and
    consumed by one or more.  K9: where every produce of a ring stands under a condition, so does every consume, and the
    other way round: else one side waits for what the other skips.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$target, DenseI64ArrayAttr:$cluster,
                       TypedArrayAttrBase<StrAttr, "names">:$arg_names,
                       TypedArrayAttrBase<ArrayAttr, "extents of the globals">:$global_dims,
                       I64ArrayAttr:$min_align, OptionalAttr<StrArrayAttr>:$arg_dtypes,
                       OptionalAttr<DictionaryAttr>:$schedule);
  let regions = (region SizedRegion<1>:$region);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Position of the argument of that name; -1 where there is none.
    int64_t getArgIndex(::llvm::StringRef name);
    ::llvm::StringRef getArgName(unsigned index) {
      return ::llvm::cast<::mlir::StringAttr>(getArgNames()[index]).getValue();
    }
    /// The element type in the caller's words ("bf16", "u8"): as told, else as the argument's type says.
    ::std::string getArgDtype(unsigned index);
    /// Promised alignment of a global in bytes; promised divisor of an extent.
    int64_t getArgAlign(unsigned index) {
      return ::llvm::cast<::mlir::IntegerAttr>(getMinAlign()[index]).getInt();
    }
  }];
}

def Tile_ReturnOp : Tile_Op<"return", [Pure, Terminator, HasParent<"KernelOp">]> {
  let summary = "ends a kernel";
  let description = [{
    Stands at the end of a kernel's body and is not written out.
    ```mlir
    tile.return
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_YieldOp : Tile_Op<"yield", [Pure, Terminator, ReturnLike, ParentOneOf<["RoleOp", "ForTilesOp", "TurnOp"]>]> {
  let summary = "ends a region and hands on what a turn computed";
  let description = [{
    Not written out where it hands on nothing.
    ```mlir
    tile.yield %s : tensor<64x128xf32>
    ```
    Y1: only a turn takes values, and their types are those of its results.
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins), [{ }]>];
  let assemblyFormat = "attr-dict ($values^ `:` qualified(type($values)))?";
  let hasVerifier = 1;
}

def Tile_RoleOp : Tile_Op<"role", [
    HasParent<"KernelOp">, SingleBlockImplicitTerminator<"YieldOp">,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "what some of the block's warps do";
  let description = [{
    `instances` groups of `warps` warps each run the region; its argument tells which one is running. A register tile in
    a role is spread over the warps of one instance. `registers` is the budget of each thread; without it the compiler
    chooses.
    ```mlir
    tile.role "math" (%instance) instances 2 warps 4 registers 232 {
    }
    ```
    R1: at least one instance and one warp.  R2: `registers` is a multiple of 8 in 24..256, and the role's warps are
    then whole warpgroups, 4 warps each (PTX ISA 9.0, setmaxnreg).  R3: the region's one argument is `index`.
  }];
  let arguments = (ins StrAttr:$name, I64Attr:$instances, I64Attr:$warps, OptionalAttr<I64Attr>:$registers);
  let regions = (region SizedRegion<1>:$region);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Value getInstance() { return getBody()->getArgument(0); }
    int64_t getTotalWarps() { return static_cast<int64_t>(getInstances() * getWarps()); }
  }];
}

def Tile_TilesOp : Tile_Op<"tiles", [
    Pure, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "an index space of tiles";
  let description = [{
    The blocks of the grid share out the tiles. With `persistent` as many blocks run as fit the machine and each takes
    many tiles; else each block takes one. Dim 0 is spread over a cluster: its blocks take neighbouring tiles. `raster`
    groups that many rows of tiles (dim 0), which are walked before the next column; 1 walks row by row. The third dim
    is the slowest. With `serpentine` every other round of blocks takes its tiles in reverse order, so that blocks get
    alike shares where the work falls steadily from tile to tile.
    ```mlir
    %t = tile.tiles (%ni, %nj) raster 8 {persistent} : !tile.tiles<2>
    ```
    T1: as many extents as the type's rank.  T2: `raster` is at least 1.  T3: `serpentine` wants `persistent`.
  }];
  let arguments = (ins Variadic<Index>:$extents, DefaultValuedAttr<I64Attr, "1">:$raster, UnitAttr:$persistent,
                       UnitAttr:$serpentine);
  let results = (outs Tile_TilesType:$result);
  let assemblyFormat = "` ` `(` $extents `)` `raster` $raster attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
}

def Tile_ForTilesOp : Tile_Op<"for_tiles", [
    RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "runs its region for each tile of this block";
  let description = [{
    The region's arguments are the tile's coordinates, in tiles. With `alternate` the instances of the role take the
    block's tiles in turn, else each instance works at every tile.
    ```mlir
    tile.for_tiles %t (%i, %j) alternate {
    }
    ```
    F1: as many arguments as the rank of the index space, each an `index`.  F2: not nested in another one.
  }];
  let arguments = (ins Tile_TilesType:$tiles, UnitAttr:$alternate);
  let regions = (region SizedRegion<1>:$region);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Tile_TurnOp : Tile_Op<"turn", [RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">,
                                   RecursivelySpeculatable]> {
  let summary = "instances of a role pass through in rotation";
  let description = [{
    Instance 0 passes first, then 1, and so on; the first one comes again after the last. Values computed inside are
    handed on as results.
    ```mlir
    %s = tile.turn %instance -> tensor<64x128xf32> {
      tile.yield %x : tensor<64x128xf32>
    }
    ```
    U1: `instance` is the argument of the role around it.  U2: the region ends in a yield of the results' types.
  }];
  let arguments = (ins Index:$instance);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$region);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Tile_GriddepWaitOp : Tile_Op<"griddep.wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits until the launches that this one depends on are done with memory";
  let description = [{
    With programmatic dependent launch a kernel may start before its predecessor has ended; nothing that the predecessor
    writes may be read before this op (PTX ISA 9.0, griddepcontrol).
    ```mlir
    tile.griddep.wait
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_GriddepLaunchOp : Tile_Op<"griddep.launch", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "lets launches that depend on this one start";
  let description = [{
    ```mlir
    tile.griddep.launch
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif
