// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass that leaves `nv`.
#ifndef TEGULA_NVTOLLVM_PASSES_TD
#define TEGULA_NVTOLLVM_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertNVToLLVM : Pass<"convert-nv-to-llvm", "::mlir::ModuleOp"> {
  let summary = "turns kernels of nv, arith, math, vector and scf into the LLVM and NVVM dialects";
  let description = [{
    Before: `nv.kernel`s whose bodies hold nv, arith, math, vector, scf, cf, index and ub ops on scalars and on vectors of
    rank 1. After: `llvm.func`s of the LLVM and NVVM dialects alone. What NVVM lacks becomes inline PTX (InlinePtx.cpp).

    Floating-point functions are those of a GPU: `exp`, `exp2`, `log`, `log2`, `rsqrt`, `sqrt` and `/` of f32 by the
    special function unit within 2 ulp of their range-reduced argument, `tanh` and `erf` by polynomials within 4 ulp.
    A `f32` to `bf16` or `f16` conversion of a vector rounds to nearest, two elements an instruction.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect", "::mlir::vector::VectorDialect"];
}

#endif
