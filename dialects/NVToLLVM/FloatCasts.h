// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between float formats, two elements an instruction where they come in vectors.
#ifndef TEGULA_DIALECTS_NVTOLLVM_FLOATCASTS_H
#define TEGULA_DIALECTS_NVTOLLVM_FLOATCASTS_H

#include "dialects/NVToLLVM/InlinePtx.h"

namespace tegula::nv {

/// Converts a scalar or vector of f32, f16 or bf16 to the like-shaped `type` of f32, f16 or bf16, to nearest even.
mlir::Value castFloat(ptx::Site site, mlir::Value value, mlir::Type type);

} // namespace tegula::nv

#endif // TEGULA_DIALECTS_NVTOLLVM_FLOATCASTS_H
