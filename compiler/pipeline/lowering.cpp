// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pipeline/lowering.h"

#include "compiler/dsl/kernel_module.h"
#include "compiler/pipeline/pipeline.h"
#include "compiler/pipeline/registration.h"
#include "dialects/NVToLLVM/NVToLLVM.h"
#include "dialects/WarpToNV/WarpToNV.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/raw_ostream.h"

namespace tegula {
namespace {

/// Collects what passes report, in the form `file:line:col: error: …`, notes below.
class Diagnostics {
public:
  explicit Diagnostics(mlir::MLIRContext *context)
      : handler_(context, [this](mlir::Diagnostic &diagnostic) { add(diagnostic); }) {}

  const std::string &text() const { return text_; }

private:
  static const char *severity(mlir::DiagnosticSeverity severity) {
    switch (severity) {
    case mlir::DiagnosticSeverity::Note: return "note";
    case mlir::DiagnosticSeverity::Warning: return "warning";
    case mlir::DiagnosticSeverity::Error: return "error";
    case mlir::DiagnosticSeverity::Remark: return "remark";
    }
    return "";
  }

  void add(mlir::Diagnostic &diagnostic) {
    llvm::raw_string_ostream stream(text_);
    if (!text_.empty())
      stream << '\n';
    if (auto where = diagnostic.getLocation()->findInstanceOf<mlir::FileLineColLoc>())
      stream << where.getFilename().getValue() << ':' << where.getLine() << ':' << where.getColumn() << ": ";
    stream << severity(diagnostic.getSeverity()) << ": " << diagnostic.str();
    for (mlir::Diagnostic &note : diagnostic.getNotes())
      add(note);
  }

  std::string text_;
  mlir::ScopedDiagnosticHandler handler_;
};

/// Runs a step; what it reported becomes the error's message.
Result<void> checked(mlir::ModuleOp module, llvm::function_ref<mlir::LogicalResult()> step) {
  Diagnostics diagnostics(module.getContext());
  if (mlir::succeeded(step()))
    return {};
  return Error(ErrorCode::bad_argument,
               diagnostics.text().empty() ? "a pass failed and said nothing" : diagnostics.text());
}

Result<void> run_passes(mlir::ModuleOp module, llvm::function_ref<void(mlir::OpPassManager &)> fill) {
  mlir::PassManager passes(module.getContext());
  passes.enableVerifier();
  fill(passes);
  return checked(module, [&] { return passes.run(module); });
}

} // namespace

Lowering::Lowering(const dsl::Kernel &kernel, CompileOptions options) : options_(std::move(options)) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  register_ptx_translations(registry);
  mlir::ModuleOp original = kernel.module().module();
  original.getContext()->appendDialectRegistry(registry);
  original.getContext()->loadAllAvailableDialects();
  module_ = original.clone();
  module_->walk([&](tile::KernelOp op) { op.setTarget(options_.arch); });
}

Result<void> Lowering::to_warp() { return run_passes(*module_, buildTileToWarpPipeline); }

Result<void> Lowering::to_nv() {
  TEGULA_CHECK(checked(*module_, [&] {
    auto kernels = llvm::to_vector(module_->getOps<tile::KernelOp>());
    return convertWarpToNV(kernels.front(), manifest_);
  }));
  return run_passes(*module_, [](mlir::OpPassManager &passes) {
    passes.addPass(mlir::createCanonicalizerPass());
    passes.addPass(mlir::createCSEPass());
  });
}

Result<void> Lowering::to_llvm() {
  return run_passes(*module_, [](mlir::OpPassManager &passes) {
    passes.addPass(nv::createConvertNVToLLVM());
    passes.addPass(mlir::createCanonicalizerPass());
    passes.addPass(mlir::createCSEPass());
  });
}

Result<void> Lowering::run_to(Stage stage) {
  if (stage >= Stage::warp)
    TEGULA_CHECK(to_warp());
  if (stage >= Stage::nv)
    TEGULA_CHECK(to_nv());
  if (stage >= Stage::llvm)
    TEGULA_CHECK(to_llvm());
  return {};
}

} // namespace tegula
