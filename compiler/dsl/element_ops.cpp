// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One operation of the DSL as one op of arith or math. Sums and products of floats may be contracted to fused ones, as
// CUDA's compilers do by default; nothing else is relaxed.
#include "compiler/dsl/element_ops.h"

#include "compiler/dsl/element_types.h"

namespace tegula::dsl {
namespace {

namespace arith = mlir::arith;
namespace math = mlir::math;
using mlir::Value;

constexpr auto kContract = arith::FastMathFlags::contract;

bool is_small_float(DType dtype) { return is_float(dtype) && bits(dtype) < 16; }

Value float_binary(mlir::OpBuilder &b, mlir::Location loc, Binary op, Value x, Value y) {
  switch (op) {
  case Binary::add: return arith::AddFOp::create(b, loc, x, y, kContract);
  case Binary::sub: return arith::SubFOp::create(b, loc, x, y, kContract);
  case Binary::mul: return arith::MulFOp::create(b, loc, x, y, kContract);
  case Binary::div: return arith::DivFOp::create(b, loc, x, y);
  case Binary::rem: return arith::RemFOp::create(b, loc, x, y);
  case Binary::max: return arith::MaximumFOp::create(b, loc, x, y);
  case Binary::min: return arith::MinimumFOp::create(b, loc, x, y);
  default: return {};
  }
}

Value integer_binary(mlir::OpBuilder &b, mlir::Location loc, Binary op, bool is_signed, Value x, Value y) {
  switch (op) {
  case Binary::add: return arith::AddIOp::create(b, loc, x, y);
  case Binary::sub: return arith::SubIOp::create(b, loc, x, y);
  case Binary::mul: return arith::MulIOp::create(b, loc, x, y);
  case Binary::div:
    return is_signed ? arith::DivSIOp::create(b, loc, x, y).getResult()
                     : arith::DivUIOp::create(b, loc, x, y).getResult();
  case Binary::rem:
    return is_signed ? arith::RemSIOp::create(b, loc, x, y).getResult()
                     : arith::RemUIOp::create(b, loc, x, y).getResult();
  case Binary::max:
    return is_signed ? arith::MaxSIOp::create(b, loc, x, y).getResult()
                     : arith::MaxUIOp::create(b, loc, x, y).getResult();
  case Binary::min:
    return is_signed ? arith::MinSIOp::create(b, loc, x, y).getResult()
                     : arith::MinUIOp::create(b, loc, x, y).getResult();
  case Binary::conj: return arith::AndIOp::create(b, loc, x, y);
  case Binary::disj: return arith::OrIOp::create(b, loc, x, y);
  case Binary::xor_: return arith::XOrIOp::create(b, loc, x, y);
  default: return {};
  }
}

Value compare(mlir::OpBuilder &b, mlir::Location loc, Binary op, DType dtype, Value x, Value y) {
  unsigned which = static_cast<unsigned>(op) - static_cast<unsigned>(Binary::eq);
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  constexpr F kFloat[] = {F::OEQ, F::UNE, F::OLT, F::OLE, F::OGT, F::OGE};
  constexpr I kSigned[] = {I::eq, I::ne, I::slt, I::sle, I::sgt, I::sge};
  constexpr I kUnsigned[] = {I::eq, I::ne, I::ult, I::ule, I::ugt, I::uge};
  if (is_float(dtype))
    return arith::CmpFOp::create(b, loc, kFloat[which], x, y);
  bool is_signed = kind(dtype) == DTypeKind::signed_integer;
  return arith::CmpIOp::create(b, loc, (is_signed ? kSigned : kUnsigned)[which], x, y);
}

/// The constant `integer` of the type of `like`, scalar or tile.
Value integer_like(mlir::OpBuilder &b, mlir::Location loc, Value like, int64_t integer) {
  mlir::Type type = like.getType();
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  mlir::TypedAttr value = mlir::IntegerAttr::get(tensor ? tensor.getElementType() : type, integer);
  if (tensor)
    value = mlir::DenseElementsAttr::get(tensor, mlir::Attribute(value));
  return arith::ConstantOp::create(b, loc, value);
}

Value integer_unary(mlir::OpBuilder &b, mlir::Location loc, Unary op, Value x) {
  if (op == Unary::neg)
    return arith::SubIOp::create(b, loc, integer_like(b, loc, x, 0), x);
  if (op == Unary::not_)
    return arith::XOrIOp::create(b, loc, x, integer_like(b, loc, x, -1));
  return math::AbsIOp::create(b, loc, x);
}

} // namespace

const char *binary_fault(Binary op, DType dtype) {
  bool bitwise = op == Binary::conj || op == Binary::disj || op == Binary::xor_;
  if (bitwise && is_float(dtype))
    return "bits are combined of integers and masks only; compare first";
  if (is_small_float(dtype))
    return "the machine has no arithmetic on 8-bit floats; cast to f32 first";
  if (dtype == i1 && !bitwise && op != Binary::eq && op != Binary::ne)
    return "masks have no arithmetic; use select()";
  return nullptr;
}

const char *unary_fault(Unary op, DType dtype) {
  if (is_small_float(dtype))
    return "the machine has no arithmetic on 8-bit floats; cast to f32 first";
  if (op == Unary::not_)
    return is_float(dtype) ? "only integers and masks have bits to turn; compare first" : nullptr;
  if (dtype == i1)
    return "masks have no arithmetic; use select()";
  if (!is_float(dtype) && op != Unary::neg && op != Unary::abs)
    return "the function is one of floats; cast first";
  return nullptr;
}

Value emit_binary(mlir::OpBuilder &b, mlir::Location loc, Binary op, DType dtype, Value x, Value y) {
  if (is_comparison(op))
    return compare(b, loc, op, dtype, x, y);
  if (is_float(dtype))
    return float_binary(b, loc, op, x, y);
  return integer_binary(b, loc, op, kind(dtype) == DTypeKind::signed_integer, x, y);
}

Value emit_unary(mlir::OpBuilder &b, mlir::Location loc, Unary op, DType dtype, Value x) {
  if (is_integral(dtype))
    return integer_unary(b, loc, op, x);
  switch (op) {
  case Unary::neg: return arith::NegFOp::create(b, loc, x);
  case Unary::exp: return math::ExpOp::create(b, loc, x);
  case Unary::exp2: return math::Exp2Op::create(b, loc, x);
  case Unary::log: return math::LogOp::create(b, loc, x);
  case Unary::log2: return math::Log2Op::create(b, loc, x);
  case Unary::sqrt: return math::SqrtOp::create(b, loc, x);
  case Unary::rsqrt: return math::RsqrtOp::create(b, loc, x);
  case Unary::tanh: return math::TanhOp::create(b, loc, x);
  case Unary::erf: return math::ErfOp::create(b, loc, x);
  case Unary::abs: return math::AbsFOp::create(b, loc, x);
  case Unary::floor: return math::FloorOp::create(b, loc, x);
  case Unary::ceil: return math::CeilOp::create(b, loc, x);
  case Unary::sin: return math::SinOp::create(b, loc, x);
  case Unary::cos: return math::CosOp::create(b, loc, x);
  case Unary::not_: return {};
  }
  return {};
}

/// Integers of any width, index among them.
static Value cast_integer(mlir::OpBuilder &b, mlir::Location loc, Value value, DType from, mlir::Type type) {
  bool is_signed = kind(from) == DTypeKind::signed_integer;
  if (value.getType() == type)
    return value;
  if (value.getType().isIndex() || type.isIndex())
    return is_signed ? arith::IndexCastOp::create(b, loc, type, value).getResult()
                     : arith::IndexCastUIOp::create(b, loc, type, value).getResult();
  unsigned from_bits = mlir::getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
  unsigned to_bits = mlir::getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  if (to_bits < from_bits)
    return arith::TruncIOp::create(b, loc, type, value);
  return is_signed ? arith::ExtSIOp::create(b, loc, type, value).getResult()
                   : arith::ExtUIOp::create(b, loc, type, value).getResult();
}

Value emit_cast(mlir::OpBuilder &b, mlir::Location loc, Value value, DType from, DType to, mlir::Type type) {
  if (value.getType() == type)
    return value;
  if (is_integral(from) && is_integral(to))
    return cast_integer(b, loc, value, from, type);
  if (is_integral(from)) {
    if (value.getType().isIndex())
      value = arith::IndexCastOp::create(b, loc, b.getI64Type(), value);
    return kind(from) == DTypeKind::signed_integer ? arith::SIToFPOp::create(b, loc, type, value).getResult()
                                                   : arith::UIToFPOp::create(b, loc, type, value).getResult();
  }
  if (is_integral(to))
    return kind(to) == DTypeKind::signed_integer ? arith::FPToSIOp::create(b, loc, type, value).getResult()
                                                 : arith::FPToUIOp::create(b, loc, type, value).getResult();
  if (bits(from) == bits(to)) // bf16 and fp16, e4m3 and e5m2: by way of f32, which holds both
    value = emit_cast(b, loc, value, from, f32,
                      llvm::isa<mlir::RankedTensorType>(type)
                          ? mlir::Type(llvm::cast<mlir::RankedTensorType>(type).clone(b.getF32Type()))
                          : b.getF32Type());
  return bits(to) > static_cast<int>(mlir::getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth())
             ? arith::ExtFOp::create(b, loc, type, value).getResult()
             : arith::TruncFOp::create(b, loc, type, value).getResult();
}

} // namespace tegula::dsl
