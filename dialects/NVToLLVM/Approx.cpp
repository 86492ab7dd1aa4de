// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The intrinsics' names, and their application to fragments.
#include "dialects/NVToLLVM/Approx.h"

#include "dialects/NVToLLVM/Registers.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace LLVM = mlir::LLVM;

namespace tegula::nv {

mlir::Value callEach(ptx::Site site, llvm::StringRef intrinsic, ptx::Values operands) {
  mlir::StringAttr name = site.builder.getStringAttr(intrinsic);
  auto call = [&](ptx::Values arguments) -> mlir::Value {
    return LLVM::CallIntrinsicOp::create(site.builder, site.loc, arguments.front().getType(), name, arguments)
        .getResult(0);
  };
  auto type = llvm::dyn_cast<mlir::VectorType>(operands.front().getType());
  if (!type)
    return call(operands);
  llvm::SmallVector<ptx::ValueVector> elements;
  for (mlir::Value operand : operands)
    elements.push_back(elementsOf(site.builder, site.loc, operand));
  ptx::ValueVector results;
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    ptx::ValueVector arguments;
    for (const ptx::ValueVector &operand : elements)
      arguments.push_back(operand[i]);
    results.push_back(call(arguments));
  }
  return vectorOf(site.builder, site.loc, results, type);
}

static llvm::StringRef intrinsicOf(ApproxKind kind) {
  switch (kind) {
  case ApproxKind::ex2: return "llvm.nvvm.ex2.approx.ftz";
  case ApproxKind::lg2: return "llvm.nvvm.lg2.approx.ftz.f";
  case ApproxKind::rcp: return "llvm.nvvm.rcp.approx.ftz.f";
  case ApproxKind::rsqrt: return "llvm.nvvm.rsqrt.approx.ftz.f";
  case ApproxKind::sqrt: return "llvm.nvvm.sqrt.approx.ftz.f";
  case ApproxKind::tanh: break;
  case ApproxKind::sin: return "llvm.nvvm.sin.approx.ftz.f";
  case ApproxKind::cos: return "llvm.nvvm.cos.approx.ftz.f";
  }
  return "";
}

mlir::Value approx(ptx::Site site, ApproxKind kind, mlir::Value value) {
  if (kind == ApproxKind::tanh) // no intrinsic: LLVM selects tanh.approx where approximations are allowed
    return LLVM::TanhOp::create(site.builder, site.loc, value.getType(), value, LLVM::FastmathFlags::afn);
  return callEach(site, intrinsicOf(kind), {value});
}

} // namespace tegula::nv
