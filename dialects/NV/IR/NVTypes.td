// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types and type constraints of `nv`.
#ifndef TEGULA_NV_TYPES_TD
#define TEGULA_NV_TYPES_TD

include "NVDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/Dialect/LLVMIR/LLVMTypes.td"

class NV_Type<string name, string text> : TypeDef<NV_Dialect, name> {
  let mnemonic = text;
}

def NV_Shared : NV_Type<"Shared", "shared"> {
  let summary = "byte address in the block's window of shared memory, 32 bits";
}
def NV_MBarrier : NV_Type<"MBarrier", "mbarrier"> {
  let summary = "address of an mbarrier: 8 bytes of shared memory, aligned to 8";
}
def NV_TensorMap : NV_Type<"TensorMap", "tensor_map"> {
  let summary = "a tensor map: 128 bytes passed by value, aligned to 64; only a kernel's argument";
}
def NV_Descriptor : NV_Type<"Descriptor", "descriptor"> {
  let summary = "a wgmma matrix descriptor, 64 bits";
}

def NV_GlobalPtr : Type<CPred<"::tegula::nv::isGlobalPointer($_self)">, "pointer into global memory, !llvm.ptr<1>">,
                   BuildableType<"::mlir::LLVM::LLVMPointerType::get($_builder.getContext(), 1)">;

// What a thread holds of a register tile, in the order of the fragment's registers.
def NV_Fragment : Type<CPred<"::tegula::nv::isFragment($_self)">,
                       "per-thread fragment: a vector of rank 1 of integers or floats", "::mlir::VectorType">;

#endif
