// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiler's side of dsl::Kernel: its MLIR context and module. Not for users of the DSL.
#pragma once

#include <memory>

#include "dialects/Tile/IR/TileDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace tegula::dsl {

/// A context without threads and a module that holds one tile.kernel. The compiler lowers the module where it lies, or
/// clones it.
class KernelModule {
public:
  KernelModule();

  [[nodiscard]] mlir::MLIRContext &context() { return *context_; }
  [[nodiscard]] mlir::ModuleOp module() { return *module_; }
  [[nodiscard]] tile::KernelOp kernel();

private:
  std::unique_ptr<mlir::MLIRContext> context_; // outlives the module
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

} // namespace tegula::dsl
