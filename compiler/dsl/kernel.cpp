// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The handle of a finished kernel, and the module behind it.
#include "compiler/dsl/kernel.h"

#include "compiler/dsl/kernel_module.h"

namespace tegula::dsl {

KernelModule::KernelModule() : context_(std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED)) {
  context_->printOpOnDiagnostic(false); // an error names the line; the operation may be a whole kernel
  context_->loadDialect<tile::TileDialect>();
  module_ = mlir::ModuleOp::create(mlir::UnknownLoc::get(context_.get()));
}

tile::KernelOp KernelModule::kernel() { return *module_->getOps<tile::KernelOp>().begin(); }

Kernel::Kernel(std::shared_ptr<KernelModule> module) : module_(std::move(module)) {}
Kernel::Kernel(Kernel &&) noexcept = default;
Kernel &Kernel::operator=(Kernel &&) noexcept = default;
Kernel::~Kernel() = default;

std::string Kernel::name() const { return module_->kernel().getSymName().str(); }
std::string Kernel::target() const { return module_->kernel().getTarget().str(); }

std::string Kernel::ir() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module_->module().print(stream);
  return text;
}

} // namespace tegula::dsl
