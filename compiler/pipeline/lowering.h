// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stages of a compile as steps on one module, for compile.cpp and inspect.cpp.
#pragma once

#include "compiler/pipeline/compile.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tegula {

/// One compile under way. Each step takes the module from the stage before.
class Lowering {
public:
  /// Copies the kernel's module.
  Lowering(const dsl::Kernel &kernel, CompileOptions options);

  Result<void> to_warp();
  Result<void> to_nv(); ///< fills the manifest
  Result<void> to_llvm();
  Result<void> run_to(Stage stage); ///< all steps up to warp, nv or llvm

  mlir::ModuleOp module() { return *module_; }
  KernelManifest &manifest() { return manifest_; }
  const CompileOptions &options() const { return options_; }

private:
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  CompileOptions options_;
  KernelManifest manifest_;
};

} // namespace tegula
