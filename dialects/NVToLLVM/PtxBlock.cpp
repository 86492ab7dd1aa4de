// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds llvm.inline_asm. compiler/ptx marks each such call convergent, which the LLVM dialect has no attribute for.
#include "dialects/NVToLLVM/PtxBlock.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringExtras.h"

namespace LLVM = mlir::LLVM;

namespace tegula::nv::ptx {

// LLVM, NVPTXISelLowering.cpp, getRegForInlineAsmConstraint: b, h, r, l are integers of 1, 16, 32, 64 bits; f, d floats.
static char constraintOf(mlir::Type type) {
  if (type.isF32())
    return 'f';
  if (type.isF64())
    return 'd';
  if (llvm::isa<LLVM::LLVMPointerType>(type))
    return 'l';
  switch (type.getIntOrFloatBitWidth()) {
  case 1: return 'b';
  case 16: return 'h';
  case 32: return 'r';
  default: return 'l';
  }
}

static std::string name(size_t number) { return "$" + std::to_string(number); }

std::string PtxBlock::out(mlir::Type type) {
  assert(inputs.empty() && "outputs come first");
  outputs.push_back(type);
  return name(outputs.size() - 1);
}

std::string PtxBlock::inOut(mlir::Value value) {
  std::string result = out(value.getType());
  starts.emplace_back(value, outputs.size() - 1);
  return result;
}

std::string PtxBlock::in(mlir::Value value) {
  inputs.push_back(value);
  return name(outputs.size() + inputs.size() - 1);
}

std::string PtxBlock::guard(mlir::Value predicate) { return predicate ? "@" + in(predicate) + " " : ""; }

ValueVector PtxBlock::emit(const std::string &text) {
  llvm::SmallVector<std::string> constraints;
  for (mlir::Type type : outputs)
    constraints.push_back(std::string("=") + constraintOf(type));
  for (mlir::Value input : inputs)
    constraints.push_back(std::string(1, constraintOf(input.getType())));
  for (auto [value, output] : starts) {
    inputs.push_back(value);
    constraints.push_back(std::to_string(output));
  }
  constraints.push_back("~{memory}");

  mlir::Type result;
  if (outputs.size() == 1)
    result = outputs.front();
  else if (outputs.size() > 1)
    result = LLVM::LLVMStructType::getLiteral(site.builder.getContext(), outputs);
  auto block = LLVM::InlineAsmOp::create(site.builder, site.loc, result ? mlir::TypeRange(result) : mlir::TypeRange(),
                                         inputs, text, llvm::join(constraints, ","), /*has_side_effects=*/true,
                                         /*is_align_stack=*/false, LLVM::TailCallKind::None,
                                         /*asm_dialect=*/LLVM::AsmDialectAttr(), /*operand_attrs=*/mlir::ArrayAttr());
  if (outputs.empty())
    return {};
  if (outputs.size() == 1)
    return {block.getRes()};
  ValueVector values;
  for (size_t i = 0; i < outputs.size(); ++i)
    values.push_back(LLVM::ExtractValueOp::create(site.builder, site.loc, block.getRes(), static_cast<int64_t>(i)));
  return values;
}

std::string braced(llvm::ArrayRef<std::string> names) { return "{" + llvm::join(names, ", ") + "}"; }

} // namespace tegula::nv::ptx
