// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One table: instruction, what it needs, where that is written. Ops are looked up by the instruction that they become.
#include "compiler/ptx/target_rules.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace tegula {

namespace {

struct Architecture {
  int number = 0;      // 90 of sm_90a
  char feature = '\0'; // 'a', 'f' or none
};

bool parse(llvm::StringRef name, Architecture &arch) {
  if (!name.consume_front("sm_") || name.empty())
    return false;
  if (name.back() == 'a' || name.back() == 'f') {
    arch.feature = name.back();
    name = name.drop_back();
  }
  return !name.getAsInteger(10, arch.number);
}

/// PTX ISA 9.0, "Target ISA Notes" of each instruction.
struct Rule {
  const char *instruction;
  bool (*has)(Architecture arch);
  const char *needs;
};

bool hopper_a(Architecture arch) { return arch.number == 90 && arch.feature == 'a'; }
bool setmaxnreg(Architecture arch) {
  return hopper_a(arch) || (arch.number >= 100 && arch.number < 120 && arch.feature != '\0');
}
bool sm90(Architecture arch) { return arch.number >= 90; }
bool sm80(Architecture arch) { return arch.number >= 80; }
bool sm75(Architecture arch) { return arch.number >= 75; }

constexpr Rule kRules[] = {
    {"wgmma.", hopper_a, "sm_90a alone"},
    {"setmaxnreg", setmaxnreg, "sm_90a, sm_100a or a relative of it"},
    {"cp.async.bulk", sm90, "sm_90 or later"},
    {"cp.reduce.async.bulk", sm90, "sm_90 or later"},
    {"mbarrier.try_wait", sm90, "sm_90 or later"},
    {"mapa", sm90, "sm_90 or later"},
    {"barrier.cluster", sm90, "sm_90 or later"},
    {"fence.proxy", sm90, "sm_90 or later"},
    {"fence.mbarrier_init", sm90, "sm_90 or later"},
    {"prefetch.tensormap", sm90, "sm_90 or later"},
    {"elect.sync", sm90, "sm_90 or later"},
    {"griddepcontrol", sm90, "sm_90 or later"},
    {"stmatrix", sm90, "sm_90 or later"},
    {"mbarrier.", sm80, "sm_80 or later"},
    {"cp.async", sm80, "sm_80 or later"},
    {"ldmatrix", sm75, "sm_75 or later"},
};

const Rule *find_rule(llvm::StringRef text) {
  for (const Rule &rule : kRules)
    if (text.contains(rule.instruction))
      return &rule;
  return nullptr;
}

/// The rule for what an op becomes: by its text for inline PTX, by its name for an op of NVVM ("nvvm.wgmma.fence…").
const Rule *find_rule(mlir::Operation *op) {
  namespace NVVM = mlir::NVVM;
  if (auto block = llvm::dyn_cast<mlir::LLVM::InlineAsmOp>(op))
    return find_rule(block.getAsmString());
  if (llvm::isa<NVVM::SetMaxRegisterOp>(op))
    return find_rule("setmaxnreg");
  if (llvm::isa<NVVM::ClusterArriveOp, NVVM::ClusterArriveRelaxedOp, NVVM::ClusterWaitOp>(op))
    return find_rule("barrier.cluster");
  if (llvm::isa<NVVM::FenceMbarrierInitOp>(op))
    return find_rule("fence.mbarrier_init");
  if (llvm::isa_and_present<NVVM::NVVMDialect>(op->getDialect()))
    return find_rule(op->getName().stripDialect());
  return nullptr;
}

} // namespace

Result<void> check_target(mlir::ModuleOp module, std::string_view name) {
  Architecture arch;
  if (!parse(llvm::StringRef(name), arch))
    return Error(ErrorCode::bad_argument, "'" + std::string(name) + "' is no architecture; give sm_90a or sm_100a");
  llvm::SmallVector<std::string> lacking;
  module.walk([&](mlir::Operation *op) {
    const Rule *rule = find_rule(op);
    if (!rule || rule->has(arch))
      return;
    llvm::StringRef instruction = llvm::StringRef(rule->instruction).rtrim('.');
    op->emitError() << llvm::StringRef(name) << " has no " << instruction << "; it needs " << rule->needs;
    std::string text = instruction.str() + " (needs " + rule->needs + ")";
    if (!llvm::is_contained(lacking, text))
      lacking.push_back(text);
  });
  if (!lacking.empty())
    return Error(ErrorCode::unsupported, std::string(name) + " lacks " + llvm::join(lacking, ", "));
  bool emitted = arch.feature == 'a' && (arch.number == 90 || arch.number == 100);
  if (!emitted)
    return Error(ErrorCode::unsupported, "no code is emitted for " + std::string(name) + "; give sm_90a or sm_100a");
  return {};
}

} // namespace tegula
