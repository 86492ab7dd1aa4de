// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tile dialect: its definition, its enums, and the base class of its ops. Types are in TileTypes.td.

#ifndef TEGULA_DIALECTS_TILE_IR_TILEDIALECT_TD
#define TEGULA_DIALECTS_TILE_IR_TILEDIALECT_TD

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::tegula::tile";
  let summary = "what a kernel computes: on which tiles, in which memory, through which pipelines, in which roles";
  let description = [{
    The dialect that the DSL builds. It knows tensors in global memory, tiles of them, tiles in shared memory, rings of
    such tiles, register tiles and roles. It refuses to know lanes, swizzles, barriers, phases and descriptors: those
    are derived below, in `warp` and `nv`.

    A register tile is a builtin `tensor` of static shape, so that `arith`, `math` and `scf` serve as they are. A tile
    in memory is a `!tile.view`. Copies and products return at once; a value is waited for where it is first used.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect"
  ];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 0;
  let extraClassDeclaration = [{
    void registerTypes();
  }];
}

class Tile_I32Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tegula::tile";
}

def Tile_MemorySpace : Tile_I32Enum<"MemorySpace", "where a tile lies", [
  I32EnumAttrCase<"global", 0>, I32EnumAttrCase<"shared", 1>]>;

def Tile_ReduceKind : Tile_I32Enum<"ReduceKind", "how a reduction combines; NaN wins in max and min", [
  I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"max", 1>, I32EnumAttrCase<"min", 2>]>;

def Tile_CacheHint : Tile_I32Enum<"CacheHint", "what L2 is told about an access", [
  I32EnumAttrCase<"evict_first", 0>, I32EnumAttrCase<"evict_last", 1>]>;

class Tile_Op<string mnemonic, list<Trait> traits = []> : Op<Tile_Dialect, mnemonic, traits>;

#endif
