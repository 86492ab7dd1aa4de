// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules of the ops on register tiles. Each rule stands once, under its id.

#include "dialects/Tile/IR/ShapeText.h"
#include "dialects/Tile/IR/TileDialect.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tegula::tile {

//===--- mma ---===//

static bool isFloat8(Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); }

/// PTX ISA 9.0, wgmma.mma_async; tf32 operands are f32 tiles, of which the hardware reads the upper 19 bits.
static bool isTensorCoreCombination(Type a, Type b, Type sum) {
  if (a.isF16() && b.isF16())
    return sum.isF16() || sum.isF32();
  if ((a.isBF16() && b.isBF16()) || (a.isF32() && b.isF32()))
    return sum.isF32();
  if (isFloat8(a) && isFloat8(b))
    return sum.isF16() || sum.isF32();
  return a.isInteger(8) && b.isInteger(8) && sum.isInteger(32);
}

LogicalResult MmaOp::verify() {
  auto a = cast<ShapedType>(getA().getType()), c = cast<ShapedType>(getC().getType());
  ViewType b = getB().getType();
  if (a.getRank() != 2 || b.getRank() != 2 || c.getRank() != 2 || a.getDimSize(1) != b.getDimSize(0) ||
      a.getDimSize(0) != c.getDimSize(0) || b.getDimSize(1) != c.getDimSize(1)) { // mma M1
    InFlightDiagnostic error = emitOpError()
                               << "M1: a is " << shapeText(a.getShape()) << ", b is " << shapeText(b.getShape())
                               << ", c is " << shapeText(c.getShape()) << "; they must be m x k, k x n and m x n";
    noteShapeOrigin(*error.getUnderlyingDiagnostic(), getA(), "a");
    noteShapeOrigin(*error.getUnderlyingDiagnostic(), getB(), "b");
    return error;
  }
  if (getC().getType() != getD().getType()) // mma M1
    return emitOpError() << "M1: c is " << getC().getType() << ", d is " << getD().getType() << "; they must be equal";
  auto aView = dyn_cast<ViewType>(a);
  if ((aView && !aView.isShared()) || !b.isShared()) // mma M2
    return emitOpError() << "M2: a is " << a << ", b is " << b << "; views must be in shared memory";
  if (!isTensorCoreCombination(a.getElementType(), b.getElementType(), c.getElementType())) // mma M3
    return emitOpError() << "M3: no tensor core multiplies " << a.getElementType() << " by " << b.getElementType()
                         << " into " << c.getElementType();
  return success();
}

//===--- reduce, broadcast, splat, iota ---===//

/// `whole` without its dim `dim` has to be `part`.
static LogicalResult verifyDim(Operation *op, StringRef dimRule, StringRef shapeRule, int64_t dim, Value wholeValue,
                               StringRef wholeName, Value partValue, StringRef partName) {
  auto whole = cast<RankedTensorType>(wholeValue.getType()), part = cast<RankedTensorType>(partValue.getType());
  if (dim < 0 || dim >= whole.getRank())
    return op->emitOpError() << dimRule << ": dim is " << dim << "; " << wholeName << " has rank " << whole.getRank();
  SmallVector<int64_t> shape(whole.getShape());
  shape.erase(shape.begin() + dim);
  if (part.getShape() != ArrayRef<int64_t>(shape) || part.getElementType() != whole.getElementType())
    return op->emitOpError() << shapeRule << ": " << partName << " is " << shapeText(part.getShape()) << " of "
                             << part.getElementType() << "; it must be " << shapeText(shape) << " of "
                             << whole.getElementType();
  return success();
}

LogicalResult ReduceOp::verify() { // reduce E1, E2
  return verifyDim(*this, "E1", "E2", getDim(), getSource(), "source", getResult(), "result");
}

LogicalResult BroadcastOp::verify() { // broadcast B1, B2
  return verifyDim(*this, "B1", "B2", getDim(), getResult(), "result", getSource(), "source");
}

LogicalResult SplatOp::verify() {
  Type element = cast<RankedTensorType>(getType()).getElementType();
  if (getScalar().getType() != element) // splat P1
    return emitOpError() << "P1: scalar is " << getScalar().getType() << ", the tile holds " << element
                         << "; they must be equal";
  return success();
}

LogicalResult IotaOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  int64_t dim = getDim();
  if (dim < 0 || dim >= type.getRank()) // iota I1
    return emitOpError() << "I1: dim is " << dim << "; the tile has rank " << type.getRank();
  if (!type.getElementType().isInteger(32) && !type.getElementType().isInteger(64)) // iota I2
    return emitOpError() << "I2: elements are " << type.getElementType() << "; they must be i32 or i64";
  return success();
}

} // namespace tegula::tile
