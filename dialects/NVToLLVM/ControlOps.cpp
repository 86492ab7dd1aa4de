// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels become LLVM functions with launch bounds; special registers and warp control become NVVM ops.
#include "dialects/NVToLLVM/Lowering.h"
#include "dialects/NVToLLVM/Registers.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace LLVM = mlir::LLVM;
namespace NVVM = mlir::NVVM;

namespace tegula::nv {

// --- nv.kernel ---

namespace {

class KernelPattern final : public mlir::OpConversionPattern<KernelOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  mlir::LogicalResult matchAndRewrite(KernelOp kernel, OpAdaptor,
                                      mlir::ConversionPatternRewriter &rewriter) const override {
    auto &types = *static_cast<const mlir::LLVMTypeConverter *>(getTypeConverter());
    mlir::TypeConverter::SignatureConversion signature(kernel.getNumArguments());
    if (mlir::failed(types.convertSignatureArgs(kernel.getArgumentTypes(), signature)))
      return rewriter.notifyMatchFailure(kernel, "an argument's type has no LLVM type");
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(getContext()), signature.getConvertedTypes());
    auto function = LLVM::LLVMFuncOp::create(rewriter, kernel.getLoc(), kernel.getSymName(), type);
    setLaunchBounds(kernel, function, rewriter);
    setArguments(kernel, function, rewriter);
    rewriter.inlineRegionBefore(kernel.getBody(), function.getBody(), function.end());
    if (mlir::failed(rewriter.convertRegionTypes(&function.getBody(), types, &signature)))
      return mlir::failure();
    rewriter.eraseOp(kernel);
    return mlir::success();
  }

private:
  static void setLaunchBounds(KernelOp kernel, LLVM::LLVMFuncOp function, mlir::OpBuilder &builder) {
    function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), builder.getUnitAttr());
    function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                      builder.getDenseI32ArrayAttr({static_cast<int32_t>(kernel.getThreads())}));
    function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), builder.getI32IntegerAttr(kernel.getMinBlocks()));
    if (auto registers = kernel.getMaxRegisters())
      function->setAttr(NVVM::NVVMDialect::getMaxnregAttrName(), builder.getI32IntegerAttr(*registers));
    // A cluster of one block is what a launch without cluster gives; saying so would demand the attribute at launch.
    if (llvm::any_of(kernel.getCluster(), [](int32_t extent) { return extent != 1; }))
      function->setAttr(NVVM::NVVMDialect::getClusterDimAttrName(), kernel.getClusterAttr());
  }

  // Without grid_constant LLVM copies a map to the thread's stack, and TMA reads local memory.
  static void setArguments(KernelOp kernel, LLVM::LLVMFuncOp function, mlir::OpBuilder &builder) {
    auto bytes = LLVM::LLVMArrayType::get(builder.getI8Type(), 128);
    for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes())) {
      if (!llvm::isa<TensorMapType>(type))
        continue;
      function.setArgAttr(index, LLVM::LLVMDialect::getByValAttrName(), mlir::TypeAttr::get(bytes));
      function.setArgAttr(index, LLVM::LLVMDialect::getAlignAttrName(), builder.getI64IntegerAttr(64));
      function.setArgAttr(index, NVVM::NVVMDialect::getGridConstantAttrName(), builder.getUnitAttr());
    }
  }
};

class ReturnPattern final : public mlir::OpConversionPattern<ReturnOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  mlir::LogicalResult matchAndRewrite(ReturnOp op, OpAdaptor,
                                      mlir::ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::ReturnOp>(op, mlir::ValueRange());
    return mlir::success();
  }
};

class PtxPattern final : public mlir::OpConversionPattern<PtxOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  mlir::LogicalResult matchAndRewrite(PtxOp op, OpAdaptor operands,
                                      mlir::ConversionPatternRewriter &rewriter) const override {
    llvm::SmallVector<mlir::Type> results;
    if (mlir::failed(getTypeConverter()->convertTypes(op.getResultTypes(), results)))
      return rewriter.notifyMatchFailure(op, "a result's type has no LLVM type");
    rewriter.replaceOp(op, ptx::custom({rewriter, op.getLoc()}, op.getText(), op.getConstraints(),
                                       llvm::to_vector(operands.getInputs()), results));
    return mlir::success();
  }
};

} // namespace

// --- registers and control ---

template <typename Register> static mlir::Value readRegister(ptx::Site site) {
  return Register::create(site.builder, site.loc, site.builder.getI32Type());
}

// tid / 32 is the same in all lanes, which only the shuffle tells ptxas: branches on it then need no predicates.
static mlir::Value warpId(ptx::Site site) {
  mlir::OpBuilder &builder = site.builder;
  mlir::Value thread = readRegister<NVVM::ThreadIdXOp>(site);
  mlir::Value warp = LLVM::LShrOp::create(builder, site.loc, thread, constantI32(builder, site.loc, 5));
  return NVVM::ShflOp::create(builder, site.loc, builder.getI32Type(), constantI32(builder, site.loc, -1), warp,
                              constantI32(builder, site.loc, 0), constantI32(builder, site.loc, 31),
                              NVVM::ShflKind::idx, mlir::UnitAttr());
}

static mlir::Value setMaxRegisters(SetMaxRegistersOp op, ptx::Site site) {
  auto action = op.getChange() == RegisterChange::inc ? NVVM::SetMaxRegisterAction::increase
                                                      : NVVM::SetMaxRegisterAction::decrease;
  NVVM::SetMaxRegisterOp::create(site.builder, site.loc, op.getCount(), action);
  return {};
}

static mlir::Value dependentLaunch(ptx::Site site, NVVM::GridDepActionKind kind) {
  NVVM::GriddepcontrolOp::create(site.builder, site.loc, kind);
  return {};
}

void addControlPatterns(Patterns patterns) {
  patterns.addPattern<KernelPattern>();
  patterns.addPattern<ReturnPattern>();
  patterns.addPattern<PtxPattern>();
  patterns.add<ThreadIdOp>([](auto, auto, auto site) { return readRegister<NVVM::ThreadIdXOp>(site); });
  patterns.add<LaneIdOp>([](auto, auto, auto site) { return readRegister<NVVM::LaneIdOp>(site); });
  patterns.add<WarpIdOp>([](auto, auto, auto site) { return warpId(site); });
  patterns.add<BlockIdOp>([](auto, auto, auto site) { return readRegister<NVVM::BlockIdXOp>(site); });
  patterns.add<GridSizeOp>([](auto, auto, auto site) { return readRegister<NVVM::GridDimXOp>(site); });
  patterns.add<ClusterRankOp>([](auto, auto, auto site) { return readRegister<NVVM::ClusterId>(site); });
  patterns.add<ClusterIdOp>([](auto, auto, auto site) { return readRegister<NVVM::ClusterIdXOp>(site); });
  patterns.add<ClusterCountOp>([](auto, auto, auto site) { return readRegister<NVVM::ClusterDimXOp>(site); });
  patterns.add<ElectOp>([](auto, auto, auto site) -> mlir::Value {
    return NVVM::ElectSyncOp::create(site.builder, site.loc, site.builder.getI1Type(), mlir::Value());
  });
  patterns.add<SetMaxRegistersOp>([](auto op, auto, auto site) { return setMaxRegisters(op, site); });
  patterns.add<GridDepWaitOp>(
      [](auto, auto, auto site) { return dependentLaunch(site, NVVM::GridDepActionKind::wait); });
  patterns.add<GridDepLaunchOp>(
      [](auto, auto, auto site) { return dependentLaunch(site, NVVM::GridDepActionKind::launch_dependents); });
  patterns.add<TrapOp>([](auto, auto, auto site) -> mlir::Value {
    LLVM::Trap::create(site.builder, site.loc);
    return {};
  });
}

} // namespace tegula::nv
