// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel itself, its special registers, and what steers a warp: elect, setmaxnreg, dependent launch, trap, PTX.
#ifndef TEGULA_NV_CONTROL_OPS_TD
#define TEGULA_NV_CONTROL_OPS_TD

include "NVTypes.td"
include "NVEnums.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/FunctionInterfaces.td"

def NV_KernelOp : NV_Op<"kernel", [AffineScope, AutomaticAllocationScope, FunctionOpInterface, IsolatedFromAbove]> {
  let summary = "an entry point with its launch bounds";
  let description = [{
    Lowers to an `llvm.func` with `.reqntid threads`, `.minnctapersm min_blocks` and `.reqnctapercluster cluster`; tensor
    maps become grid constants. Arguments are tensor maps, global pointers and scalars, in the order of the launch.
    `max_registers` bounds the registers of a thread (`.maxnreg`); by default the launch bounds decide.
    ```mlir
    nv.kernel @copy(%map: !nv.tensor_map, %out: !llvm.ptr<1>, %n: i64) threads 384 cluster [2, 1, 1] min_blocks 1 {
      nv.return
    }
    ```
    K1: 1 to 1024 threads, a multiple of 32.  (CUDA programming guide, technical specifications)
    K2: the cluster has three extents of at least 1, at most 16 blocks in all.  (PTX .reqnctapercluster; driver API)
    K3: arguments are `!nv.tensor_map`, `!llvm.ptr<1>`, or integers and floats of 8 to 64 bits; there are no results.
    K4: min_blocks is 1 to 32 and min_blocks * threads at most 2048.  (.minnctapersm, threads an SM)
    K5: parameters fill at most 32764 bytes.  (PTX .param, sm_70 and later)
    K6: max_registers is 16 to 255.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs,
                       I32Attr:$threads,
                       DefaultValuedAttr<DenseI32ArrayAttr, "{1, 1, 1}">:$cluster,
                       DefaultValuedAttr<I32Attr, "1">:$min_blocks,
                       OptionalAttr<I32Attr>:$max_registers);
  let regions = (region AnyRegion:$body);
  let skipDefaultBuilders = 1;
  // Builds the entry block too, its arguments at `loc`.
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::TypeRange":$arguments, "int32_t":$threads,
                                 CArg<"::llvm::ArrayRef<int32_t>", "{1, 1, 1}">:$cluster,
                                 CArg<"int32_t", "1">:$minBlocks)>];
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def NV_ReturnOp : NV_Op<"return", [Pure, HasParent<"KernelOp">, Terminator]> {
  let summary = "ends the thread";
  let description = [{ `nv.return` }];
  let assemblyFormat = "attr-dict";
}

class NV_RegisterOp<string mnemonic, string text> : NV_Op<mnemonic, [Pure]> {
  let summary = text;
  let description = "`%x = nv." # mnemonic # "` gives an i32.";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}
def NV_ThreadIdOp : NV_RegisterOp<"thread_id", "index of the thread in its block (%tid.x)">;
def NV_LaneIdOp : NV_RegisterOp<"lane_id", "index of the thread in its warp (%laneid)">;
def NV_WarpIdOp : NV_RegisterOp<"warp_id", "index of the warp in its block, in a uniform register">;
def NV_BlockIdOp : NV_RegisterOp<"block_id", "index of the block in the grid (%ctaid.x)">;
def NV_GridSizeOp : NV_RegisterOp<"grid_size", "blocks in the grid (%nctaid.x)">;
def NV_ClusterRankOp : NV_RegisterOp<"cluster_rank", "index of the block in its cluster (%cluster_ctarank)">;
def NV_ClusterIdOp : NV_RegisterOp<"cluster_id", "index of the cluster in the grid (%clusterid.x)">;
def NV_ClusterCountOp : NV_RegisterOp<"cluster_count", "clusters in the grid (%nclusterid.x)">;

def NV_ElectOp : NV_Op<"elect", [NoMemoryEffect]> {
  let summary = "true in one thread of the warp";
  let description = [{
    `%one = nv.elect` gives an i1. All threads of the warp must meet it. (PTX elect.sync)
  }];
  let results = (outs I1:$result);
  let assemblyFormat = "attr-dict";
}

def NV_SetMaxRegistersOp : NV_EffectOp<"setmaxnreg"> {
  let summary = "gives registers back to the block's pool or takes them from it";
  let description = [{
    Executed by all warps of a warpgroup; `inc` blocks until the pool has them.
    ```mlir
    nv.setmaxnreg dec 40
    nv.setmaxnreg inc 232
    ```
    R1: the count is 24 to 256 in steps of 8.  R2: the kernel has a multiple of 128 threads.  (PTX setmaxnreg)
  }];
  let arguments = (ins NV_RegisterChangeAttr:$change, I32Attr:$count);
  let assemblyFormat = "$change $count attr-dict";
  let hasVerifier = 1;
}

def NV_GridDepWaitOp : NV_EffectOp<"griddep.wait"> {
  let summary = "waits until the grids before this one are complete and their memory visible";
  let description = [{ `nv.griddep.wait` (PTX griddepcontrol.wait) }];
  let assemblyFormat = "attr-dict";
}
def NV_GridDepLaunchOp : NV_EffectOp<"griddep.launch"> {
  let summary = "lets the dependent grid start early; promises nothing about memory";
  let description = [{ `nv.griddep.launch` (PTX griddepcontrol.launch_dependents) }];
  let assemblyFormat = "attr-dict";
}

def NV_TrapOp : NV_EffectOp<"trap"> {
  let summary = "ends the grid with an error";
  let description = [{ `nv.trap` }];
  let assemblyFormat = "attr-dict";
}

def NV_PtxOp : NV_EffectOp<"ptx"> {
  let summary = "the author's own PTX";
  let description = [{
    Text and constraints are those of LLVM's inline assembly: `$0` names the first operand, results first.
    ```mlir
    %r = nv.ptx "mov.u32 $0, %smid;", "=r" () : () -> i32
    nv.ptx "st.shared.b32 [$0], $1;", "r,r" (%a, %v) : (i32, i32) -> ()
    ```
    P1: there are as many constraints, clobbers aside, as results and operands.
    P2: operands and results are scalars of 16 to 64 bits, pointers, `!nv.shared`, `!nv.mbarrier` or `!nv.descriptor`.
  }];
  let arguments = (ins StrAttr:$text, StrAttr:$constraints, Variadic<AnyType>:$inputs);
  let results = (outs Variadic<AnyType>:$outputs);
  let assemblyFormat = "$text `,` $constraints `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs)";
  let hasVerifier = 1;
}

#endif
