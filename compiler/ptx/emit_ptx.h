// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the LLVM dialect to PTX text, in process, with LLVM's NVPTX backend.
#ifndef TEGULA_COMPILER_PTX_EMIT_PTX_H
#define TEGULA_COMPILER_PTX_EMIT_PTX_H

#include <string>

#include "compiler/ptx/ptx_options.h"
#include "mlir/IR/BuiltinOps.h"
#include "runtime/result/result.h"

namespace tegula {

/// Registers with a context what these functions translate: the LLVM and NVVM dialects' forms in LLVM IR.
void register_ptx_translations(mlir::DialectRegistry &registry);

/// Emits PTX for a module of the LLVM and NVVM dialects, as `convert-nv-to-llvm` leaves it; the module isn't changed.
/// Fragments become registers on the way (scalarize_fragments.h).
/// \errors unsupported: an architecture that we don't emit for, or an instruction that it lacks, which is also
///         reported as a diagnostic at its op; internal: LLVM refused the module, with its words.
///     mlir::MLIRContext context(registry);  // register_ptx_translations(registry) before
///     TEGULA_TRY(std::string ptx, emit_ptx(module, {.arch = "sm_90a"}));
[[nodiscard]] Result<std::string> emit_ptx(mlir::ModuleOp module, const PtxOptions &options);

/// The LLVM IR that emit_ptx hands to code generation, as text.
[[nodiscard]] Result<std::string> emit_llvm_ir(mlir::ModuleOp module, const PtxOptions &options);

} // namespace tegula

#endif // TEGULA_COMPILER_PTX_EMIT_PTX_H
