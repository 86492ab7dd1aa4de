// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The warp dialect: its definition and its attributes, which are layouts.

#ifndef TEGULA_DIALECTS_WARP_IR_WARPDIALECT_TD
#define TEGULA_DIALECTS_WARP_IR_WARPDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/TensorEncoding.td"

def Warp_Dialect : Dialect {
  let name = "warp";
  let cppNamespace = "::tegula::warp";
  let summary = "who does it and when";
  let description = [{
    The dialect between tiles and instructions. It knows how every tile is spread over threads or laid out in shared
    memory, how a ring is guarded (arrivals, bytes, which blocks of a cluster take part), when an asynchronous product
    is waited for and when a slot is free again, and where everything lies in shared memory. It refuses to know how an
    instruction is encoded. What needs none of this (loops over tiles, arithmetic, reductions, loads and stores of shared
    tiles) stays in `tile`, `arith`, `math` and `scf`, with layouts in its types.
  }];
  let dependentDialects = ["::tegula::tile::TileDialect"];
  let useDefaultAttributePrinterParser = 1;
  let discardableAttrs = (ins
    "::mlir::IntegerAttr":$shared_bytes, // on tile.kernel: what the plan needs, barriers included
    "::mlir::IntegerAttr":$threads,      // on tile.kernel: threads of a block
    "::mlir::DictionaryAttr":$paths,     // on tile.kernel: by tensor, how it is reached and why
    "::mlir::IntegerAttr":$first_warp,   // on tile.role
    "::mlir::IntegerAttr":$registers     // on tile.role: the budget that setmaxnreg asks for
  );
}

class Warp_Op<string mnemonic, list<Trait> traits = []> : Op<Warp_Dialect, mnemonic, traits>;

def Warp_FragmentAttr : AttrDef<Warp_Dialect, "Fragment",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "fragment";
  let summary = "how a register tile is spread over the threads of a role instance";
  let description = [{
    The encoding of a tensor: a `layout::Fragment` in its own notation (compiler/layout/fragment.h).
    ```mlir
    tensor<64x16xf32, #warp.fragment<"reg = [2:1@1, 2:8@0, 2:8@1], lane = [4:2@1, 8:1@0], warp = [4:16@0]">>
    ```
    F1: the text describes a fragment of the tensor's shape.
  }];
  let parameters = (ins StringRefParameter<"digits of the three axes">:$digits);
  let assemblyFormat = "`<` $digits `>`";
  let extraClassDeclaration = [{
    static FragmentAttr get(::mlir::MLIRContext *context, const ::tegula::layout::Fragment &fragment);
  }];
}

def Warp_SharedAttr : AttrDef<Warp_Dialect, "Shared"> {
  let mnemonic = "shared";
  let summary = "where the elements of a tile lie in shared memory";
  let description = [{
    The layout of a `!tile.view`: a `layout::SharedLayout` (compiler/layout/swizzle.h) less what the view's type says.
    ```mlir
    !tile.view<128x64xbf16, shared, #warp.shared<unit = 1, swizzle = 128, panel = 128, rows = 128>>
    ```
  }];
  let parameters = (ins "int":$unit, "int64_t":$swizzle, "int64_t":$panel, "int64_t":$rows,
                        DefaultValuedParameter<"int64_t", "0">:$padding, DefaultValuedParameter<"int64_t", "0">:$matrix);
  let assemblyFormat = "`<` struct(params) `>`";
  let extraClassDeclaration = [{
    static SharedAttr get(::mlir::MLIRContext *context, const ::tegula::layout::SharedLayout &layout);
  }];
}

#endif
