// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which architectures we emit for, and which instructions each lacks. LLVM ends the process on an instruction that a
// target lacks, so this is asked first.
#ifndef TEGULA_COMPILER_PTX_TARGET_RULES_H
#define TEGULA_COMPILER_PTX_TARGET_RULES_H

#include <string_view>

#include "mlir/IR/BuiltinOps.h"
#include "runtime/result/result.h"

namespace tegula {

/// Checks every op of a module of the LLVM and NVVM dialects; each that the architecture lacks gets an error at its
/// location.
/// \errors unsupported, naming the architecture and what it lacks, or that nothing is emitted for it at all.
[[nodiscard]] Result<void> check_target(mlir::ModuleOp module, std::string_view arch);

} // namespace tegula

#endif // TEGULA_COMPILER_PTX_TARGET_RULES_H
