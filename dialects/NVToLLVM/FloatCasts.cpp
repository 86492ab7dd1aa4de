// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM would convert element by element and then pack; cvt.rn.bf16x2.f32 does both at once. The formats of 8 bits are
// integers to LLVM, so their conversions are all here.
#include "dialects/NVToLLVM/FloatCasts.h"

#include "dialects/NVToLLVM/Lowering.h"
#include "dialects/NVToLLVM/Registers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace LLVM = mlir::LLVM;
namespace arith = mlir::arith;

namespace tegula::nv {

static mlir::Value callIntrinsic(ptx::Site site, mlir::Type result, llvm::StringRef name, ptx::Values operands) {
  return LLVM::CallIntrinsicOp::create(site.builder, site.loc, result, site.builder.getStringAttr(name), operands)
      .getResult(0);
}

static bool isEvenVector(mlir::Type type) {
  auto vector = llvm::dyn_cast<mlir::VectorType>(type);
  return vector && vector.getNumElements() % 2 == 0;
}

// --- 16 bits ---

/// f32 pairs to registers of two 16-bit floats; the intrinsic takes the upper half first.
static mlir::Value packPairs(ptx::Site site, mlir::Value value, mlir::VectorType type) {
  mlir::OpBuilder &builder = site.builder;
  ptx::ValueVector elements = elementsOf(builder, site.loc, value), registers;
  auto pair = mlir::VectorType::get(2, type.getElementType());
  llvm::StringRef name = type.getElementType().isBF16() ? "llvm.nvvm.ff2bf16x2.rn" : "llvm.nvvm.ff2f16x2.rn";
  for (size_t i = 0; i < elements.size(); i += 2) {
    mlir::Value packed = callIntrinsic(site, pair, name, {elements[i + 1], elements[i]});
    registers.push_back(LLVM::BitcastOp::create(builder, site.loc, builder.getI32Type(), packed));
  }
  return pack(builder, site.loc, registers, type);
}

/// A bf16 is the upper half of its f32.
static mlir::Value unpackBf16(ptx::Site site, mlir::Value value, mlir::VectorType type) {
  mlir::OpBuilder &builder = site.builder;
  mlir::Value sixteen = constantI32(builder, site.loc, 16), upper = constantI32(builder, site.loc, 0xffff0000);
  ptx::ValueVector elements;
  for (mlir::Value word : unpack(builder, site.loc, value)) {
    mlir::Value even = LLVM::ShlOp::create(builder, site.loc, word, sixteen);
    mlir::Value odd = LLVM::AndOp::create(builder, site.loc, word, upper);
    for (mlir::Value bits : {even, odd})
      elements.push_back(LLVM::BitcastOp::create(builder, site.loc, builder.getF32Type(), bits));
  }
  return vectorOf(builder, site.loc, elements, type);
}

mlir::Value castFloat(ptx::Site site, mlir::Value value, mlir::Type type) {
  mlir::Type from = mlir::getElementTypeOrSelf(value.getType()), to = mlir::getElementTypeOrSelf(type);
  if (from == to)
    return value;
  unsigned fromBits = from.getIntOrFloatBitWidth(), toBits = to.getIntOrFloatBitWidth();
  if (fromBits == toBits) { // bf16 and f16: through f32
    mlir::Type f32 = site.builder.getF32Type();
    if (auto vector = llvm::dyn_cast<mlir::VectorType>(type))
      f32 = mlir::VectorType::get(vector.getShape(), f32);
    return castFloat(site, castFloat(site, value, f32), type);
  }
  if (from.isF32() && toBits == 16 && isEvenVector(type))
    return packPairs(site, value, llvm::cast<mlir::VectorType>(type));
  if (from.isBF16() && to.isF32() && isEvenVector(type))
    return unpackBf16(site, value, llvm::cast<mlir::VectorType>(type));
  if (fromBits > toBits)
    return LLVM::FPTruncOp::create(site.builder, site.loc, type, value);
  return LLVM::FPExtOp::create(site.builder, site.loc, type, value);
}

// --- 8 bits: only in pairs ---

static llvm::StringRef fp8Name(mlir::Type type) {
  return llvm::isa<mlir::Float8E4M3FNType>(type) ? "e4m3x2" : llvm::isa<mlir::Float8E5M2Type>(type) ? "e5m2x2" : "";
}

/// f32 pairs to fp8 pairs, saturating to the largest finite value (cvt.rn.satfinite).
static mlir::Value toFp8(ptx::Site site, mlir::Value value, llvm::StringRef format) {
  mlir::OpBuilder &builder = site.builder;
  ptx::ValueVector elements = elementsOf(builder, site.loc, value), pairs;
  std::string name = ("llvm.nvvm.ff.to." + format + ".rn").str();
  for (size_t i = 0; i < elements.size(); i += 2)
    pairs.push_back(callIntrinsic(site, builder.getI16Type(), name, {elements[i + 1], elements[i]}));
  int64_t count = static_cast<int64_t>(elements.size());
  mlir::Value packed = vectorOf(builder, site.loc, pairs, mlir::VectorType::get(count / 2, builder.getI16Type()));
  return LLVM::BitcastOp::create(builder, site.loc, mlir::VectorType::get(count, builder.getI8Type()), packed);
}

/// fp8 pairs to f16 pairs, exactly.
static mlir::Value fromFp8(ptx::Site site, mlir::Value value, llvm::StringRef format) {
  mlir::OpBuilder &builder = site.builder;
  int64_t count = llvm::cast<mlir::VectorType>(value.getType()).getNumElements();
  auto words = mlir::VectorType::get(count / 2, builder.getI16Type());
  auto half = mlir::VectorType::get(2, builder.getF16Type());
  std::string name = ("llvm.nvvm." + format + ".to.f16x2.rn").str();
  ptx::ValueVector registers;
  mlir::Value pairs = LLVM::BitcastOp::create(builder, site.loc, words, value);
  for (mlir::Value pair : elementsOf(builder, site.loc, pairs)) {
    mlir::Value wide = callIntrinsic(site, half, name, {pair});
    registers.push_back(LLVM::BitcastOp::create(builder, site.loc, builder.getI32Type(), wide));
  }
  return pack(builder, site.loc, registers, mlir::VectorType::get(count, builder.getF16Type()));
}

// --- patterns ---

namespace {

template <typename Op> class CastPattern final : public mlir::OpConversionPattern<Op> {
public:
  using mlir::OpConversionPattern<Op>::OpConversionPattern;

  mlir::LogicalResult matchAndRewrite(Op op, typename Op::Adaptor operands,
                                      mlir::ConversionPatternRewriter &rewriter) const override {
    mlir::Type from = mlir::getElementTypeOrSelf(op.getIn().getType()), to = mlir::getElementTypeOrSelf(op.getType());
    ptx::Site site = {rewriter, op.getLoc()};
    bool narrow = from.getIntOrFloatBitWidth() == 8 || to.getIntOrFloatBitWidth() == 8;
    if (!narrow) {
      if (from.isF64() || to.isF64())
        return rewriter.notifyMatchFailure(op, "f64 is LLVM's");
      rewriter.replaceOp(op, castFloat(site, operands.getIn(), op.getType()));
      return mlir::success();
    }
    auto shape = llvm::dyn_cast<mlir::VectorType>(op.getType());
    llvm::StringRef format = fp8Name(from.getIntOrFloatBitWidth() == 8 ? from : to);
    if (!shape || shape.getNumElements() % 2 != 0 || format.empty() || from.isF64() || to.isF64())
      return rewriter.notifyMatchFailure(op, "fp8 converts in pairs, e4m3 or e5m2, from or to at most f32");
    if (from.getIntOrFloatBitWidth() == 8) {
      rewriter.replaceOp(op, castFloat(site, fromFp8(site, operands.getIn(), format), op.getType()));
    } else {
      auto f32 = mlir::VectorType::get(shape.getShape(), rewriter.getF32Type());
      rewriter.replaceOp(op, toFp8(site, castFloat(site, operands.getIn(), f32), format));
    }
    return mlir::success();
  }
};

} // namespace

void addCastPatterns(Patterns patterns) {
  constexpr int first = 2; // before LLVM's own patterns
  patterns.addPattern<CastPattern<arith::TruncFOp>>(first);
  patterns.addPattern<CastPattern<arith::ExtFOp>>(first);
}

} // namespace tegula::nv
