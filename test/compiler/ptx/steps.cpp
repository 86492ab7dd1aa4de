// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/compiler/ptx/steps.h"

#include "compiler/ptx/emit_ptx.h"
#include "compiler/ptx/scalarize_fragments.h"
#include "dialects/NV/IR/NVDialect.h"
#include "dialects/NVToLLVM/NVToLLVM.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Transforms/Utils/Local.h"

namespace tegula {

using Emit = Result<std::string> (*)(mlir::ModuleOp, const PtxOptions &);

static Emitted emitted(std::string_view nv, const PtxOptions &options, Emit emit) {
  mlir::DialectRegistry registry;
  registry.insert<nv::NVDialect, mlir::arith::ArithDialect, mlir::math::MathDialect, mlir::scf::SCFDialect,
                  mlir::vector::VectorDialect, mlir::cf::ControlFlowDialect, mlir::ub::UBDialect,
                  mlir::func::FuncDialect, mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect>();
  register_ptx_translations(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  std::vector<std::string> diagnostics;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    diagnostic.getLocation().print(stream);
    stream << ": " << diagnostic;
    diagnostics.push_back(text);
    return mlir::success();
  });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(llvm::StringRef(nv), &context, "kernel.mlir");
  mlir::PassManager passes(&context);
  passes.addPass(nv::createConvertNVToLLVM());
  if (!module || mlir::failed(passes.run(*module)))
    return {Error(ErrorCode::internal, "the test's kernel doesn't convert"), diagnostics};
  Result<std::string> text = emit(*module, options);
  return {std::move(text), diagnostics};
}

Emitted ptx_of(std::string_view nv, const PtxOptions &options) { return emitted(nv, options, emit_ptx); }
Emitted llvm_ir_of(std::string_view nv, const PtxOptions &options) { return emitted(nv, options, emit_llvm_ir); }

std::string scalarized(std::string_view llvm_ir) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(llvm::StringRef(llvm_ir), error, context);
  if (!module)
    return "parse error: " + error.getMessage().str();
  for (llvm::Function &function : *module) {
    if (function.isDeclaration())
      continue;
    scalarize_fragments(function);
    for (llvm::BasicBlock &block : function)
      for (bool again = true; again;) {
        again = false;
        for (llvm::Instruction &instruction : llvm::make_early_inc_range(block))
          if (llvm::isInstructionTriviallyDead(&instruction)) {
            instruction.eraseFromParent();
            again = true;
          }
      }
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (llvm::verifyModule(*module, &stream))
    return "broken: " + text;
  module->print(stream, nullptr);
  return text;
}

int count(std::string_view text, std::string_view word) {
  int found = 0;
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + word.size()))
    ++found;
  return found;
}

} // namespace tegula
