// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Division, roots, exponentials, logarithms, tanh, erf, sine and cosine on the special function unit and by polynomials;
// sums over a fragment. 16-bit floats are computed on in f32.
#include "dialects/NVToLLVM/Approx.h"
#include "dialects/NVToLLVM/FloatCasts.h"
#include "dialects/NVToLLVM/Lowering.h"
#include "dialects/NVToLLVM/Registers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace LLVM = mlir::LLVM;
namespace arith = mlir::arith;
namespace math = mlir::math;
namespace vector = mlir::vector;

namespace tegula::nv {

// --- f32 arithmetic on a scalar or a whole vector ---

namespace {

/// Writes formulas; all values have one type, f32 or a vector of it.
struct Formula {
  ptx::Site site;
  mlir::Type type;

  mlir::Value number(double value) const {
    mlir::Attribute attribute = site.builder.getF32FloatAttr(static_cast<float>(value));
    if (auto vector = llvm::dyn_cast<mlir::VectorType>(type))
      attribute = mlir::DenseElementsAttr::get(vector, attribute);
    return LLVM::ConstantOp::create(site.builder, site.loc, type, llvm::cast<mlir::TypedAttr>(attribute));
  }
  mlir::Value add(mlir::Value a, mlir::Value b) const { return LLVM::FAddOp::create(site.builder, site.loc, a, b); }
  mlir::Value sub(mlir::Value a, mlir::Value b) const { return LLVM::FSubOp::create(site.builder, site.loc, a, b); }
  mlir::Value mul(mlir::Value a, mlir::Value b) const { return LLVM::FMulOp::create(site.builder, site.loc, a, b); }
  mlir::Value fma(mlir::Value a, mlir::Value b, mlir::Value c) const {
    return LLVM::FMAOp::create(site.builder, site.loc, type, a, b, c);
  }
  mlir::Value abs(mlir::Value a) const { return LLVM::FAbsOp::create(site.builder, site.loc, type, a); }
  mlir::Value approx(ApproxKind kind, mlir::Value a) const { return nv::approx(site, kind, a); }
  mlir::Value withSignOf(mlir::Value sign, mlir::Value a) const {
    return LLVM::CopySignOp::create(site.builder, site.loc, type, a, sign);
  }
  /// `below` where a < limit; NaN takes `above`.
  mlir::Value where(mlir::Value a, double limit, mlir::Value below, mlir::Value above) const {
    mlir::Value less = LLVM::FCmpOp::create(site.builder, site.loc, LLVM::FCmpPredicate::olt, a, number(limit));
    return LLVM::SelectOp::create(site.builder, site.loc, less, below, above);
  }
  /// c[0] + c[1] x + c[2] x^2 …
  mlir::Value polynomial(mlir::Value x, llvm::ArrayRef<double> coefficients) const {
    mlir::Value sum = number(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      sum = fma(sum, x, number(coefficient));
    return sum;
  }
};

constexpr double kLog2E = 1.4426950408889634, kLn2 = 0.6931471805599453, kTwoPi = 6.283185307179586;

} // namespace

static mlir::Value exp2(const Formula &f, mlir::Value x) { return f.approx(ApproxKind::ex2, x); }
static mlir::Value exp(const Formula &f, mlir::Value x) { return exp2(f, f.mul(x, f.number(kLog2E))); }
static mlir::Value log2(const Formula &f, mlir::Value x) { return f.approx(ApproxKind::lg2, x); }
static mlir::Value log(const Formula &f, mlir::Value x) { return f.mul(log2(f, x), f.number(kLn2)); }
static mlir::Value sqrt(const Formula &f, mlir::Value x) { return f.approx(ApproxKind::sqrt, x); }
static mlir::Value rsqrt(const Formula &f, mlir::Value x) { return f.approx(ApproxKind::rsqrt, x); }

// Below 0.6 an odd polynomial (our minimax fit, relative error 3e-9), above 1 - 2 / (e^2x + 1), which there loses nothing.
static mlir::Value tanh(const Formula &f, mlir::Value x) {
  mlir::Value a = f.abs(x);
  mlir::Value small =
      f.mul(x, f.polynomial(f.mul(x, x), {0.9999999975109474, -0.33333283256753526, 0.13331688946420311,
                                          -0.05376870363999587, 0.020753625521479455, -0.005852164925934425}));
  mlir::Value e = exp2(f, f.mul(a, f.number(2 * kLog2E)));
  mlir::Value r = f.approx(ApproxKind::rcp, f.add(e, f.number(1)));
  mlir::Value large = f.withSignOf(x, f.fma(r, f.number(-2), f.number(1)));
  return f.where(a, 0.6, small, large);
}

// Below 1 an odd polynomial, above 1 - 2^p(|x|) with p a fit of log2(erfc); our minimax fits, errors 1.2e-9 and 1.5e-9.
static mlir::Value erf(const Formula &f, mlir::Value x) {
  mlir::Value a = f.abs(x);
  mlir::Value small = f.mul(x, f.polynomial(f.mul(x, x), {1.1283791657266902, -0.37612625824093454, 0.11283585147029754,
                                                          -0.026853811869007472, 0.005188327559758392,
                                                          -0.0008010192518231343, 7.853857697272943e-05}));
  mlir::Value bounded = LLVM::MinimumOp::create(f.site.builder, f.site.loc, f.type, a, f.number(4)); // NaN stays NaN
  mlir::Value p =
      f.polynomial(bounded, {-0.0005102940916106037, -1.6259751343720965, -0.9207649113281138, -0.14865159740651498,
                             0.031458472055249494, -0.004240969064044312, 0.0002677279802746827});
  mlir::Value large = f.withSignOf(x, f.sub(f.number(1), exp2(f, p)));
  return f.where(a, 1, small, large);
}

/// x less the nearest multiple of 2 pi, in two steps (Cody and Waite); exact enough up to some thousands.
static mlir::Value inOnePeriod(const Formula &f, mlir::Value x) {
  constexpr double high = 6.28125, low = kTwoPi - high; // high has 9 bits: its product with a period's number is exact
  mlir::Value turns = LLVM::RoundEvenOp::create(f.site.builder, f.site.loc, f.type, f.mul(x, f.number(1 / kTwoPi)));
  return f.fma(turns, f.number(-low), f.fma(turns, f.number(-high), x));
}
static mlir::Value sin(const Formula &f, mlir::Value x) { return f.approx(ApproxKind::sin, inOnePeriod(f, x)); }
static mlir::Value cos(const Formula &f, mlir::Value x) { return f.approx(ApproxKind::cos, inOnePeriod(f, x)); }

// --- patterns ---

/// f32, or f32 in place of a 16-bit float; null for f64, which LLVM handles.
static mlir::Type computeType(mlir::Type type) {
  mlir::Type element = mlir::getElementTypeOrSelf(type);
  mlir::Type f32 = mlir::Float32Type::get(type.getContext());
  if (element.isF64())
    return {};
  if (auto vector = llvm::dyn_cast<mlir::VectorType>(type))
    return mlir::VectorType::get(vector.getShape(), f32);
  return f32;
}

namespace {

template <typename Op, mlir::Value (*function)(const Formula &, mlir::Value)>
class UnaryPattern final : public mlir::OpConversionPattern<Op> {
public:
  using mlir::OpConversionPattern<Op>::OpConversionPattern;

  mlir::LogicalResult matchAndRewrite(Op op, typename Op::Adaptor operands,
                                      mlir::ConversionPatternRewriter &rewriter) const override {
    mlir::Type type = computeType(op.getType());
    if (!type)
      return rewriter.notifyMatchFailure(op, "the special function unit has no f64");
    Formula formula = {{rewriter, op.getLoc()}, type};
    mlir::Value result = function(formula, castFloat(formula.site, operands.getOperand(), type));
    rewriter.replaceOp(op, castFloat(formula.site, result, op.getType()));
    return mlir::success();
  }
};

class DivisionPattern final : public mlir::OpConversionPattern<arith::DivFOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  mlir::LogicalResult matchAndRewrite(arith::DivFOp op, OpAdaptor operands,
                                      mlir::ConversionPatternRewriter &rewriter) const override {
    mlir::Type type = computeType(op.getType());
    if (!type)
      return rewriter.notifyMatchFailure(op, "f64 is divided exactly");
    ptx::Site site = {rewriter, op.getLoc()};
    // 2 ulp over the full range and no call; div.rn calls a function, within which wgmma is serialised (C7510).
    mlir::Value result = callEach(site, "llvm.nvvm.div.full",
                                  {castFloat(site, operands.getLhs(), type), castFloat(site, operands.getRhs(), type)});
    rewriter.replaceOp(op, castFloat(site, result, op.getType()));
    return mlir::success();
  }
};

/// A balanced tree, so that the depth is logarithmic; the order is fixed.
class ReductionPattern final : public mlir::OpConversionPattern<vector::ReductionOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  mlir::LogicalResult matchAndRewrite(vector::ReductionOp op, OpAdaptor operands,
                                      mlir::ConversionPatternRewriter &rewriter) const override {
    if (op.getVector().getType().getRank() != 1)
      return rewriter.notifyMatchFailure(op, "only vectors of rank 1 are fragments");
    mlir::Location loc = op.getLoc();
    llvm::SmallVector<mlir::Value> values = elementsOf(rewriter, loc, operands.getVector());
    for (; values.size() > 1; values.resize((values.size() + 1) / 2))
      for (size_t i = 0, half = (values.size() + 1) / 2; i + half < values.size(); ++i)
        values[i] = vector::makeArithReduction(rewriter, loc, op.getKind(), values[i], values[i + half]);
    mlir::Value result = values.front();
    if (operands.getAcc())
      result = vector::makeArithReduction(rewriter, loc, op.getKind(), result, operands.getAcc());
    rewriter.replaceOp(op, result);
    return mlir::success();
  }
};

} // namespace

void addMathPatterns(Patterns patterns) {
  constexpr int first = 2; // before LLVM's own patterns
  patterns.addPattern<UnaryPattern<math::Exp2Op, exp2>>(first);
  patterns.addPattern<UnaryPattern<math::ExpOp, exp>>(first);
  patterns.addPattern<UnaryPattern<math::Log2Op, log2>>(first);
  patterns.addPattern<UnaryPattern<math::LogOp, log>>(first);
  patterns.addPattern<UnaryPattern<math::SqrtOp, sqrt>>(first);
  patterns.addPattern<UnaryPattern<math::RsqrtOp, rsqrt>>(first);
  patterns.addPattern<UnaryPattern<math::TanhOp, tanh>>(first);
  patterns.addPattern<UnaryPattern<math::ErfOp, erf>>(first);
  patterns.addPattern<UnaryPattern<math::SinOp, sin>>(first);
  patterns.addPattern<UnaryPattern<math::CosOp, cos>>(first);
  patterns.addPattern<DivisionPattern>(first);
  patterns.addPattern<ReductionPattern>(first);
}

} // namespace tegula::nv
