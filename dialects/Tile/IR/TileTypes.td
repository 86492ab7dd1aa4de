// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The types of the tile dialect: tensors in global memory, tiles in memory, rings of tiles, index spaces of tiles.

#ifndef TEGULA_DIALECTS_TILE_IR_TILETYPES_TD
#define TEGULA_DIALECTS_TILE_IR_TILETYPES_TD

include "dialects/Tile/IR/TileDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"

class Tile_Type<string name, string typeMnemonic, list<Trait> traits = []> : TypeDef<Tile_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
  let genVerifyDecl = 1;
}

def Tile_GlobalType : Tile_Type<"Global", "global"> {
  let summary = "a tensor in global memory";
  let description = [{
    `?` stands for an extent that is an argument of the kernel. `unit` names the dim of stride 1, -1 where none is
    promised. Address, extents and strides belong to the kernel's argument and are not part of the type.
    ```mlir
    !tile.global<?x?xbf16, unit = 1>
    ```
    G1: rank 1 to 5.  G2: `unit` is -1 or a dim.  G3: the element type is an integer or a float of 8, 16, 32 or 64 bits.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType, "int":$unitDim);
  let assemblyFormat = "`<` custom<Shape>($shape, $elementType) `,` `unit` `=` $unitDim `>`";
  let extraClassDeclaration = [{
    int64_t getRank() const { return static_cast<int64_t>(getShape().size()); }
    /// Bytes of one element.
    int64_t getElementBytes() const { return getElementType().getIntOrFloatBitWidth() / 8; }
  }];
}

def Tile_ViewType : Tile_Type<"View", "view", [
    DeclareTypeInterfaceMethods<ShapedTypeInterface, ["cloneWith", "hasRank"]>]> {
  let summary = "a tile in global or shared memory";
  let description = [{
    `layout` says where each element lies; it is absent in `tile` and filled in by `warp`.
    ```mlir
    !tile.view<128x64xbf16, global>
    !tile.view<128x64xbf16, shared>
    ```
    V1: rank 1 to 5, all extents static and positive.  V2: the element type is as G3.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                        EnumParameter<Tile_MemorySpace>:$space, OptionalParameter<"::mlir::Attribute">:$layout);
  let assemblyFormat = "`<` custom<Shape>($shape, $elementType) `,` $space (`,` $layout^)? `>`";
  let builders = [TypeBuilderWithInferredContext<
    (ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType, "MemorySpace":$space), [{
      return $_get(elementType.getContext(), shape, elementType, space, ::mlir::Attribute());
    }]>];
  let extraClassDeclaration = [{
    bool isGlobal() const { return getSpace() == MemorySpace::global; }
    bool isShared() const { return getSpace() == MemorySpace::shared; }
    /// Bytes of the whole tile, without padding.
    int64_t getTileBytes() const { return getNumElements() * getElementType().getIntOrFloatBitWidth() / 8; }
    /// The same view with another layout.
    ViewType withLayout(::mlir::Attribute layout) const {
      return ViewType::get(getContext(), getShape(), getElementType(), getSpace(), layout);
    }
  }];
}

def Tile_RingType : Tile_Type<"Ring", "ring"> {
  let summary = "a pipeline of stages, each with the same slots";
  let description = [{
    ```mlir
    !tile.ring<4 x [!tile.view<128x64xbf16, shared>, !tile.view<256x64xbf16, shared>]>
    ```
    R1: 1 to 32 stages.  R2: 1 to 8 slots, each a view in shared memory.
  }];
  let parameters = (ins "int":$stages, ArrayRefParameter<"::mlir::Type">:$slots);
  let assemblyFormat = "`<` $stages `x` ` ` `[` $slots `]` `>`";
}

def Tile_TilesType : Tile_Type<"Tiles", "tiles"> {
  let summary = "an index space of tiles that the blocks of a grid share out";
  let description = [{
    ```mlir
    !tile.tiles<2>
    ```
    T1: rank 1 to 3.
  }];
  let parameters = (ins "int":$rank);
  let assemblyFormat = "`<` $rank `>`";
}

/// A tile in registers: a builtin tensor of static shape.
def Tile_Tensor : StaticShapeTensorOf<[AnyType]>;
def Tile_ViewOrTensor : AnyTypeOf<[Tile_ViewType, Tile_Tensor]>;
def Tile_Scalar : AnyTypeOf<[AnySignlessInteger, AnyFloat, Index], "scalar">;

#endif
