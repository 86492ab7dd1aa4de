// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assembly, builders and rules of wgmma and its descriptors.
#include "dialects/NV/IR/NVAssembly.h"
#include "dialects/NV/IR/NVDialect.h"

#include "llvm/ADT/StringExtras.h"

namespace tegula::nv {

// --- assembly ---

mlir::ParseResult parseHex(mlir::OpAsmParser &parser, mlir::IntegerAttr &bits) {
  llvm::APInt value;
  if (parser.parseInteger(value))
    return mlir::failure();
  if (value.getActiveBits() > 64)
    return parser.emitError(parser.getCurrentLocation(), "expected a number of 64 bits");
  bits = parser.getBuilder().getI64IntegerAttr(static_cast<int64_t>(value.zextOrTrunc(64).getZExtValue()));
  return mlir::success();
}

void printHex(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::IntegerAttr bits) {
  printer << "0x" << llvm::utohexstr(static_cast<uint64_t>(bits.getInt()), /*LowerCase=*/true);
}

static mlir::ParseResult parseMmaType(mlir::OpAsmParser &parser, MmaTypeAttr &type) {
  llvm::StringRef keyword;
  llvm::SMLoc at = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return mlir::failure();
  auto value = symbolizeMmaType(keyword);
  if (!value)
    return parser.emitError(at, "expected bf16, f16, tf32, e4m3, e5m2, s8 or u8");
  type = MmaTypeAttr::get(parser.getContext(), *value);
  return mlir::success();
}

mlir::ParseResult parseMmaTypes(mlir::OpAsmParser &parser, MmaTypeAttr &a, MmaTypeAttr &b) {
  if (parseMmaType(parser, a))
    return mlir::failure();
  b = a;
  if (mlir::succeeded(parser.parseOptionalKeyword("by")))
    return parseMmaType(parser, b);
  return mlir::success();
}

void printMmaTypes(mlir::OpAsmPrinter &printer, mlir::Operation *, MmaTypeAttr a, MmaTypeAttr b) {
  printer << stringifyMmaType(a.getValue());
  if (a != b)
    printer << " by " << stringifyMmaType(b.getValue());
}

mlir::ParseResult parseSameTypes(mlir::OpAsmParser &, llvm::ArrayRef<mlir::Type> operands,
                                 llvm::SmallVectorImpl<mlir::Type> &results) {
  results.assign(operands.begin(), operands.end());
  return mlir::success();
}

void printSameTypes(mlir::OpAsmPrinter &, mlir::Operation *, mlir::TypeRange, mlir::TypeRange) {}

// --- builders ---

void WgmmaWaitOp::build(mlir::OpBuilder &builder, mlir::OperationState &state, int32_t pending,
                        mlir::ValueRange fragments) {
  build(builder, state, fragments.getTypes(), static_cast<uint32_t>(pending), fragments);
}

// --- descriptors ---

// PTX ISA 9.0, "Matrix Descriptor Format": start 0-13, LBO 16-29, SBO 32-45, base offset 49-51, mode 62-63.
static constexpr uint64_t kAddressBits = 0x3fff;
static constexpr uint64_t kFieldBits = (0x3fffull << 16) | (0x3fffull << 32) | (7ull << 49) | (3ull << 62);

mlir::LogicalResult DescriptorOp::verify() {
  uint64_t bits = getBits();
  if (bits & kAddressBits) // descriptor D1
    return emitOpError("D1: bits 0 to 13 are the address's, here 0x")
           << llvm::utohexstr(bits & kAddressBits, true) << "; leave them zero";
  if (uint64_t stray = bits & ~kFieldBits) // descriptor D2
    return emitOpError("D2: reserved bits 0x") << llvm::utohexstr(stray, true) << " are set";
  return mlir::success();
}

mlir::LogicalResult DescriptorAdvanceOp::verify() {
  if (int32_t bytes = getBytes(); bytes < 0 || bytes % 16 != 0 || bytes >= 1 << 18) // descriptor D3
    return emitOpError("D3: ") << bytes << " bytes; give a multiple of 16, 0 to " << (1 << 18) - 16;
  return mlir::success();
}

mlir::OpFoldResult DescriptorAdvanceOp::fold(FoldAdaptor) {
  return getBytes() == 0 ? mlir::OpFoldResult(getDescriptor()) : nullptr;
}

// --- wgmma ---

static int64_t bitsOf(MmaType type) {
  switch (type) {
  case MmaType::bf16:
  case MmaType::f16: return 16;
  case MmaType::tf32: return 32;
  case MmaType::e4m3:
  case MmaType::e5m2:
  case MmaType::s8:
  case MmaType::u8: return 8;
  }
  return 0;
}

static bool isInteger(MmaType type) { return type == MmaType::s8 || type == MmaType::u8; }
static bool isFp8(MmaType type) { return type == MmaType::e4m3 || type == MmaType::e5m2; }

int64_t WgmmaOp::getK() { return 256 / bitsOf(getAType()); }

static mlir::LogicalResult verifyShape(WgmmaOp op) {
  int64_t n = op.getN();
  bool ok = n >= 8 && n <= 256 && n % 8 == 0;
  if (isInteger(op.getAType()))
    ok = ok && (n <= 32 || n % 16 == 0);
  if (!ok) // wgmma W1. PTX ISA 9.0, wgmma.mma_async
    return op.emitOpError("W1: N is ") << n << ", twice the elements of c; give 8 to 256 in steps of "
                                       << (isInteger(op.getAType()) ? "8 up to 32, then of 16" : "8");
  return mlir::success();
}

static mlir::LogicalResult verifyTypes(WgmmaOp op) {
  MmaType a = op.getAType(), b = op.getBType();
  if (a != b && !(isFp8(a) && isFp8(b)) && !(isInteger(a) && isInteger(b))) // wgmma W2
    return op.emitOpError("W2: a is ") << stringifyMmaType(a) << " and b is " << stringifyMmaType(b)
                                       << "; only e4m3 with e5m2 and s8 with u8 can be mixed";
  mlir::Type c = op.getC().getType().getElementType();
  bool ok = isInteger(a) ? c.isInteger(32) : c.isF32() || (c.isF16() && (a == MmaType::f16 || isFp8(a)));
  if (!ok) // wgmma W3
    return op.emitOpError("W3: c holds ") << c << "; for " << stringifyMmaType(a) << " give "
                                          << (isInteger(a)                      ? "i32"
                                              : (a == MmaType::f16 || isFp8(a)) ? "f32 or f16"
                                                                                : "f32");
  return mlir::success();
}

static mlir::LogicalResult verifyModifiers(WgmmaOp op) {
  bool wide = bitsOf(op.getAType()) == 16;
  if (op.getTransA() && op.hasRegisterA()) // wgmma W4
    return op.emitOpError("W4: trans_a with a in registers; only a in shared memory can be transposed");
  if ((op.getTransA() || op.getTransB()) && !wide) // wgmma W4
    return op.emitOpError("W4: ") << stringifyMmaType(op.getAType())
                                  << " operands are K-major only; transpose on the way into shared memory";
  if ((op.getNegateA() || op.getNegateB()) && isInteger(op.getAType())) // wgmma W6
    return op.emitOpError("W6: ") << stringifyMmaType(op.getAType()) << " operands can't be negated";
  return mlir::success();
}

static mlir::LogicalResult verifyRegisterA(WgmmaOp op) {
  auto vector = llvm::dyn_cast<mlir::VectorType>(op.getA().getType());
  if (!vector)
    return mlir::success();
  int64_t bits = bitsOf(op.getAType()), elements = 128 / bits;
  mlir::Type element = vector.getElementType();
  bool fits = vector.getNumElements() == elements && element.getIntOrFloatBitWidth() == bits;
  switch (op.getAType()) {
  case MmaType::bf16: fits = fits && element.isBF16(); break;
  case MmaType::f16: fits = fits && element.isF16(); break;
  case MmaType::tf32: fits = fits && element.isF32(); break;
  default: break; // 8 bits: whatever names them
  }
  if (!fits) // wgmma W5. PTX ISA 9.0, "Register Fragments for wgmma": four 32-bit registers
    return op.emitOpError("W5: a is ") << vector << "; " << stringifyMmaType(op.getAType()) << " takes a vector of "
                                       << elements << " elements of " << bits << " bits of that type";
  return mlir::success();
}

mlir::LogicalResult WgmmaOp::verify() {
  return mlir::failure(mlir::failed(verifyShape(*this)) || mlir::failed(verifyTypes(*this)) ||
                       mlir::failed(verifyModifiers(*this)) || mlir::failed(verifyRegisterA(*this)));
}

mlir::LogicalResult WgmmaWaitOp::verify() {
  if (int32_t pending = getPending(); pending < 0 || pending > 7) // wgmma W7
    return emitOpError("W7: pending is ") << pending << "; give 0 to 7";
  if (getFragments().getTypes() != getOutputs().getTypes()) // wgmma W8
    return emitOpError("W8: each result has the type of its fragment");
  return mlir::success();
}

} // namespace tegula::nv
