// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The steps: check the target, lines of the source, LLVM IR, registers for fragments, a light clean-up, code generation.
// Every option is set on the target machine or the function: LLVM's global flags belong to the host program.
#include "compiler/ptx/emit_ptx.h"

#include "compiler/ptx/scalarize_fragments.h"
#include "compiler/ptx/target_rules.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace tegula {

void register_ptx_translations(mlir::DialectRegistry &registry) {
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerNVVMDialectTranslation(registry);
}

// --- target ---

/// One module on its way through LLVM; the context outlives what is in it.
struct LlvmModule {
  llvm::LLVMContext context;
  std::string complaints; // what LLVM reports instead of printing
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
};

static const llvm::Target *nvptx_target(std::string &error) {
  static const bool initialized = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)initialized;
  return llvm::TargetRegistry::lookupTarget(llvm::Triple("nvptx64-nvidia-cuda"), error);
}

static Result<std::unique_ptr<llvm::TargetMachine>> make_machine(const std::string &arch) {
  std::string error;
  const llvm::Target *target = nvptx_target(error);
  if (!target)
    return Error(ErrorCode::internal, "LLVM has no NVPTX backend: " + error);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Fast; // a * b + c is one fma, as in CUDA C++
  // No features: LLVM then states the lowest PTX version that the architecture allows, which most drivers can read.
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(llvm::Triple("nvptx64-nvidia-cuda"), arch, /*Features=*/"", options, std::nullopt,
                                  std::nullopt, llvm::CodeGenOptLevel::Aggressive));
  if (!machine)
    return Error(ErrorCode::internal, "LLVM makes no target machine for " + arch);
  return machine;
}

// --- LLVM IR ---

// ptxas compiles as for a debugger wherever the target says ", debug", which LLVM prints for every kind of debug
// information but DebugDirectivesOnly; MLIR's default is another.
static mlir::LogicalResult add_lines(mlir::ModuleOp module, DebugInfo debug) {
  mlir::LLVM::DIScopeForLLVMFuncOpPassOptions options;
  options.emissionKind =
      debug == DebugInfo::full ? mlir::LLVM::DIEmissionKind::Full : mlir::LLVM::DIEmissionKind::DebugDirectivesOnly;
  mlir::PassManager passes(module.getContext(), mlir::ModuleOp::getOperationName());
  passes.enableVerifier(false);
  passes.addPass(mlir::LLVM::createDIScopeForLLVMFuncOpPass(options));
  return passes.run(module);
}

/// The LLVM dialect can't say that inline PTX is convergent, and much of it is: LLVM must not duplicate or sink it.
static void mark_convergent(llvm::Function &function) {
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction); call && call->isInlineAsm()) {
      call->setConvergent();
      call->setDoesNotThrow();
    }
}

/// What fragments leave behind, and what the dialects' patterns repeat. Code generation has its own pipeline for the
/// rest: the measured kernels gain nothing from -O2 before it.
static void clean_up(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::DCEPass());
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::InstCombinePass(llvm::InstCombineOptions().setMaxIterations(1)));
  passes.addPass(llvm::SimplifyCFGPass());
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      passes.run(function, functions);
}

static Result<void> translate(mlir::ModuleOp source, const PtxOptions &options, LlvmModule &result) {
  TEGULA_CHECK(check_target(source, options.arch));
  mlir::OwningOpRef<mlir::ModuleOp> copy;
  if (options.debug != DebugInfo::none) {
    copy = source.clone();
    if (mlir::failed(add_lines(*copy, options.debug)))
      return Error(ErrorCode::internal, "the source lines could not be attached");
    source = *copy;
  }
  result.context.setDiagnosticHandlerCallBack(
      [](const llvm::DiagnosticInfo *info, void *context) {
        if (info->getSeverity() != llvm::DS_Error)
          return;
        llvm::raw_string_ostream stream(static_cast<LlvmModule *>(context)->complaints);
        llvm::DiagnosticPrinterRawOStream printer(stream);
        info->print(printer);
        stream << "; ";
      },
      &result);
  TEGULA_TRY(result.machine, make_machine(options.arch));
  result.module = mlir::translateModuleToLLVMIR(source, result.context, "tegula");
  if (!result.module)
    return Error(ErrorCode::internal, "the module could not be translated to LLVM IR");
  result.module->setTargetTriple(result.machine->getTargetTriple());
  result.module->setDataLayout(result.machine->createDataLayout());
  for (llvm::Function &function : *result.module) {
    if (function.isDeclaration())
      continue;
    scalarize_fragments(function);
    mark_convergent(function);
  }
  clean_up(*result.module, *result.machine);
  llvm::raw_string_ostream stream(result.complaints);
  if (llvm::verifyModule(*result.module, &stream))
    return Error(ErrorCode::internal, "LLVM refuses the module: " + result.complaints);
  return {};
}

Result<std::string> emit_llvm_ir(mlir::ModuleOp module, const PtxOptions &options) {
  LlvmModule translated;
  TEGULA_CHECK(translate(module, options, translated));
  std::string text;
  llvm::raw_string_ostream stream(text);
  translated.module->print(stream, nullptr);
  return text;
}

// --- PTX ---

Result<std::string> emit_ptx(mlir::ModuleOp module, const PtxOptions &options) {
  LlvmModule translated;
  TEGULA_CHECK(translate(module, options, translated));
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  if (translated.machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile,
                                              /*DisableVerify=*/true))
    return Error(ErrorCode::internal, "LLVM's NVPTX backend writes no assembly");
  passes.run(*translated.module);
  if (!translated.complaints.empty())
    return Error(ErrorCode::internal, "LLVM can't generate code: " + translated.complaints);
  return std::string(text);
}

} // namespace tegula
