// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The step from `nv` to the LLVM and NVVM dialects: the pass, and the patterns by family for other passes' use.
#ifndef TEGULA_DIALECTS_NVTOLLVM_NVTOLLVM_H
#define TEGULA_DIALECTS_NVTOLLVM_NVTOLLVM_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace tegula::nv {

/// Declares createConvertNVToLLVM() and registerNVToLLVMPasses().
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "dialects/NVToLLVM/Passes.h.inc"

} // namespace tegula::nv

#endif // TEGULA_DIALECTS_NVTOLLVM_NVTOLLVM_H
