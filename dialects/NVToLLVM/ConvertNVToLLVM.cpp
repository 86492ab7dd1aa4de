// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass: structured control flow first, then everything else in one conversion.
#include "dialects/NVToLLVM/NVToLLVM.h"

#include "dialects/NVToLLVM/Lowering.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"

namespace LLVM = mlir::LLVM;
namespace math = mlir::math;

namespace tegula::nv {

#define GEN_PASS_DEF_CONVERTNVTOLLVM
#include "dialects/NVToLLVM/Passes.h.inc"

namespace {

/// math ops without a lowering here become calls of a C library, on which LLVM's backend ends the process.
bool hasInstruction(mlir::Operation *op) {
  if (llvm::isa<math::AbsFOp, math::AbsIOp, math::FloorOp, math::CeilOp, math::RoundEvenOp, math::TruncOp, math::FmaOp,
                math::CopySignOp, math::CountLeadingZerosOp, math::CtPopOp, math::CountTrailingZerosOp, math::IsNaNOp,
                math::IsInfOp, math::IsFiniteOp, math::RoundOp>(op))
    return true;
  if (!llvm::isa<math::Exp2Op, math::ExpOp, math::Log2Op, math::LogOp, math::SqrtOp, math::RsqrtOp, math::TanhOp,
                 math::ErfOp, math::SinOp, math::CosOp>(op))
    return false;
  return llvm::isa<math::SqrtOp>(op) || !mlir::getElementTypeOrSelf(op->getResult(0).getType()).isF64();
}

mlir::LogicalResult checkMath(mlir::ModuleOp module) {
  bool ok = true;
  module.walk([&](mlir::Operation *op) {
    if (!llvm::isa_and_present<math::MathDialect>(op->getDialect()) || hasInstruction(op))
      return;
    op->emitError() << "'" << op->getName() << "' of " << op->getResult(0).getType()
                    << " has no instruction; write it with exp2, log2, sqrt, tanh, erf, sin or cos of f32";
    ok = false;
  });
  return mlir::success(ok);
}

void addTypes(mlir::LLVMTypeConverter &types) {
  types.addConversion([](SharedType type) { return mlir::IntegerType::get(type.getContext(), 32); });
  types.addConversion([](MBarrierType type) { return mlir::IntegerType::get(type.getContext(), 32); });
  types.addConversion([](DescriptorType type) { return mlir::IntegerType::get(type.getContext(), 64); });
  types.addConversion([](TensorMapType type) { return LLVM::LLVMPointerType::get(type.getContext()); });
}

class ConvertNVToLLVMPass final : public impl::ConvertNVToLLVMBase<ConvertNVToLLVMPass> {
  void runOnOperation() override {
    mlir::ModuleOp module = getOperation();
    if (mlir::failed(checkMath(module)))
      return signalPassFailure();
    declareSharedMemory(module);
    if (mlir::failed(flattenControlFlow(module)) || mlir::failed(convert(module)))
      signalPassFailure();
  }

  static void declareSharedMemory(mlir::ModuleOp module) {
    bool used = module.walk([](SharedBaseOp) { return mlir::WalkResult::interrupt(); }).wasInterrupted();
    if (!used || module.lookupSymbol(kSharedSymbol))
      return;
    mlir::OpBuilder builder = mlir::OpBuilder::atBlockBegin(module.getBody());
    auto bytes = LLVM::LLVMArrayType::get(builder.getI8Type(), 0);
    LLVM::GlobalOp::create(builder, module.getLoc(), bytes, /*isConstant=*/false, LLVM::Linkage::External,
                           kSharedSymbol, mlir::Attribute(), /*alignment=*/1024, /*addrSpace=*/3);
  }

  mlir::LogicalResult flattenControlFlow(mlir::ModuleOp module) {
    mlir::RewritePatternSet patterns(&getContext());
    mlir::populateSCFToControlFlowConversionPatterns(patterns);
    mlir::ConversionTarget target(getContext());
    target.addIllegalDialect<mlir::scf::SCFDialect>();
    target.markUnknownOpDynamicallyLegal([](mlir::Operation *) { return true; });
    return mlir::applyPartialConversion(module, target, std::move(patterns));
  }

  mlir::LogicalResult convert(mlir::ModuleOp module) {
    mlir::LowerToLLVMOptions options(&getContext());
    mlir::LLVMTypeConverter types(&getContext(), options);
    addTypes(types);
    mlir::RewritePatternSet set(&getContext());
    addOwnPatterns({types, set});
    addForeignPatterns(types, set);
    mlir::LLVMConversionTarget target(getContext());
    target.addLegalDialect<mlir::NVVM::NVVMDialect>();
    target.addLegalOp<mlir::ModuleOp>();
    return mlir::applyFullConversion(module, target, std::move(set));
  }

  static void addOwnPatterns(Patterns patterns) {
    addControlPatterns(patterns);
    addBarrierPatterns(patterns);
    addTmaPatterns(patterns);
    addWgmmaPatterns(patterns);
    addMemoryPatterns(patterns);
    addLanePatterns(patterns);
    addMathPatterns(patterns);
    addCastPatterns(patterns);
  }

  static void addForeignPatterns(mlir::LLVMTypeConverter &types, mlir::RewritePatternSet &set) {
    mlir::arith::populateCeilFloorDivExpandOpsPatterns(set);
    mlir::arith::populateArithToLLVMConversionPatterns(types, set);
    mlir::populateMathToLLVMConversionPatterns(types, set);
    mlir::populateVectorToLLVMConversionPatterns(types, set);
    mlir::vector::populateVectorInsertExtractStridedSliceTransforms(set);
    mlir::cf::populateControlFlowToLLVMConversionPatterns(types, set);
    mlir::populateFuncToLLVMConversionPatterns(types, set);
    mlir::index::populateIndexToLLVMConversionPatterns(types, set);
    mlir::ub::populateUBToLLVMConversionPatterns(types, set);
  }
};

} // namespace

} // namespace tegula::nv
