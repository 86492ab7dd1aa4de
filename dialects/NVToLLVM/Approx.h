// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions of the special function unit, on a scalar or element by element.
#ifndef TEGULA_DIALECTS_NVTOLLVM_APPROX_H
#define TEGULA_DIALECTS_NVTOLLVM_APPROX_H

#include "dialects/NVToLLVM/InlinePtx.h"

namespace tegula::nv {

/// Calls an intrinsic of f32 for the scalar, or for each element of the vector, of `operands`.
mlir::Value callEach(ptx::Site site, llvm::StringRef intrinsic, ptx::Values operands);

mlir::Value approx(ptx::Site site, ApproxKind kind, mlir::Value value);

} // namespace tegula::nv

#endif // TEGULA_DIALECTS_NVTOLLVM_APPROX_H
