// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the families of patterns share: a pattern from one function, and the list of families.
#ifndef TEGULA_DIALECTS_NVTOLLVM_LOWERING_H
#define TEGULA_DIALECTS_NVTOLLVM_LOWERING_H

#include "dialects/NVToLLVM/InlinePtx.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tegula::nv {

/// Replaces an op by the value that `emit` gives for it, or erases it where it has no result.
template <typename Op> class Lowering final : public mlir::OpConversionPattern<Op> {
public:
  using Emit = mlir::Value (*)(Op op, typename Op::Adaptor operands, ptx::Site site);

  Lowering(const mlir::TypeConverter &types, mlir::MLIRContext *context, Emit emit, mlir::PatternBenefit benefit = 1)
      : mlir::OpConversionPattern<Op>(types, context, benefit), emit(emit) {}

  mlir::LogicalResult matchAndRewrite(Op op, typename Op::Adaptor operands,
                                      mlir::ConversionPatternRewriter &rewriter) const override {
    mlir::Value value = emit(op, operands, {rewriter, op.getLoc()});
    if (op->getNumResults() == 1)
      rewriter.replaceOp(op, value);
    else
      rewriter.eraseOp(op);
    return mlir::success();
  }

private:
  Emit emit;
};

/// The patterns that a family adds to.
struct Patterns {
  const mlir::LLVMTypeConverter &types;
  mlir::RewritePatternSet &set;

  template <typename Op> void add(typename Lowering<Op>::Emit emit, mlir::PatternBenefit benefit = 1) {
    set.add<Lowering<Op>>(types, set.getContext(), emit, benefit);
  }
  template <typename Pattern> void addPattern(mlir::PatternBenefit benefit = 1) {
    set.add<Pattern>(types, set.getContext(), benefit);
  }
};

/// The name of the symbol that stands for a block's dynamic shared memory.
inline constexpr const char *kSharedSymbol = "tegula_shared";

void addControlPatterns(Patterns patterns);
void addBarrierPatterns(Patterns patterns);
void addTmaPatterns(Patterns patterns);
void addWgmmaPatterns(Patterns patterns);
void addMemoryPatterns(Patterns patterns);
void addLanePatterns(Patterns patterns);
/// arith and math on floats, where the GPU has better than LLVM's default.
void addMathPatterns(Patterns patterns);
/// Conversions between float formats.
void addCastPatterns(Patterns patterns);

} // namespace tegula::nv

#endif // TEGULA_DIALECTS_NVTOLLVM_LOWERING_H
