// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wgmma: one inline-PTX block an instruction, its accumulator tied in and out, and the waits that tie what is in flight.
#include "dialects/NVToLLVM/Lowering.h"
#include "dialects/NVToLLVM/Registers.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace LLVM = mlir::LLVM;
namespace NVVM = mlir::NVVM;

namespace tegula::nv {

// --- descriptors ---

static mlir::Value descriptor(DescriptorOp op, DescriptorOp::Adaptor operands, ptx::Site site) {
  mlir::OpBuilder &builder = site.builder;
  mlir::Type i64 = builder.getI64Type();
  // The field has 14 bits. In a cluster a shared address holds the block's rank above bit 23, which must not spill into
  // the LBO (measured on an H200).
  mlir::Value field = LLVM::LShrOp::create(builder, site.loc, operands.getAddress(), constantI32(builder, site.loc, 4));
  field = LLVM::AndOp::create(builder, site.loc, field, constantI32(builder, site.loc, 0x3fff));
  mlir::Value bits = LLVM::ConstantOp::create(builder, site.loc, i64, op.getBitsAttr());
  return LLVM::OrOp::create(builder, site.loc, LLVM::ZExtOp::create(builder, site.loc, i64, field), bits);
}

// In the low word alone: 64-bit additions cost a carry each.
static mlir::Value advance(DescriptorAdvanceOp op, DescriptorAdvanceOp::Adaptor operands, ptx::Site site) {
  mlir::OpBuilder &builder = site.builder;
  auto words = mlir::VectorType::get(2, builder.getI32Type());
  mlir::Value zero = constantI32(builder, site.loc, 0), step = constantI32(builder, site.loc, op.getBytes() >> 4);
  mlir::Value pair = LLVM::BitcastOp::create(builder, site.loc, words, operands.getDescriptor());
  mlir::Value low = LLVM::ExtractElementOp::create(builder, site.loc, pair, zero);
  low = LLVM::AddOp::create(builder, site.loc, low, step);
  pair = LLVM::InsertElementOp::create(builder, site.loc, pair, low, zero);
  return LLVM::BitcastOp::create(builder, site.loc, builder.getI64Type(), pair);
}

// --- wgmma ---

static mlir::Value wgmma(WgmmaOp op, WgmmaOp::Adaptor operands, ptx::Site site) {
  auto type = llvm::cast<mlir::VectorType>(operands.getC().getType());
  ptx::WgmmaForm form = {op.getN(),      op.getK(),      type.getElementType(), op.getAType(),  op.getBType(),
                         op.getTransA(), op.getTransB(), op.getNegateA(),       op.getNegateB()};
  ptx::ValueVector a = {operands.getA()};
  if (op.hasRegisterA())
    a = unpack(site.builder, site.loc, operands.getA());
  ptx::ValueVector c = unpack(site.builder, site.loc, operands.getC());
  ptx::ValueVector d = ptx::wgmma(site, form, a, operands.getB(), c, operands.getScaleD());
  return pack(site.builder, site.loc, d, type);
}

namespace {

class KeepPattern final : public mlir::OpConversionPattern<WgmmaKeepOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  mlir::LogicalResult matchAndRewrite(WgmmaKeepOp op, OpAdaptor operands,
                                      mlir::ConversionPatternRewriter &rewriter) const override {
    ptx::keep({rewriter, op.getLoc()}, unpack(rewriter, op.getLoc(), operands.getFragment()));
    rewriter.eraseOp(op);
    return mlir::success();
  }
};

class WaitPattern final : public mlir::OpConversionPattern<WgmmaWaitOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  mlir::LogicalResult matchAndRewrite(WgmmaWaitOp op, OpAdaptor operands,
                                      mlir::ConversionPatternRewriter &rewriter) const override {
    mlir::Location loc = op.getLoc();
    ptx::ValueVector registers;
    for (mlir::Value fragment : operands.getFragments())
      registers.append(unpack(rewriter, loc, fragment));
    ptx::ValueVector tied = ptx::wgmmaWait({rewriter, loc}, op.getPending(), registers);
    llvm::ArrayRef<mlir::Value> rest = tied;
    ptx::ValueVector results;
    for (mlir::Value fragment : operands.getFragments()) {
      auto type = llvm::cast<mlir::VectorType>(fragment.getType());
      size_t count = registerShape(type).count;
      results.push_back(pack(rewriter, loc, rest.take_front(count), type));
      rest = rest.drop_front(count);
    }
    rewriter.replaceOp(op, results);
    return mlir::success();
  }
};

} // namespace

void addWgmmaPatterns(Patterns patterns) {
  patterns.add<DescriptorOp>(descriptor);
  patterns.add<DescriptorAdvanceOp>(advance);
  patterns.add<WgmmaOp>(wgmma);
  patterns.addPattern<WaitPattern>();
  patterns.addPattern<KeepPattern>();
  patterns.add<WgmmaFenceOp>([](auto, auto, auto site) {
    NVVM::WgmmaFenceAlignedOp::create(site.builder, site.loc);
    return mlir::Value();
  });
  patterns.add<WgmmaCommitOp>([](auto, auto, auto site) {
    NVVM::WgmmaGroupSyncAlignedOp::create(site.builder, site.loc);
    return mlir::Value();
  });
}

} // namespace tegula::nv
