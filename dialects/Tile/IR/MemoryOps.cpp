// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules of the ops on tiles in memory. Each rule stands once, under its id.

#include "dialects/Tile/IR/ShapeText.h"
#include "dialects/Tile/IR/TileDialect.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace tegula::tile {

//===--- ring, produce, consume ---===//

void RingOp::getAsmResultNames(OpAsmSetValueNameFn setName) { setName(getResult(), "ring"); }

static LogicalResult inferSlots(ValueRange operands, SmallVectorImpl<Type> &types) {
  auto ring = operands.empty() ? RingType() : dyn_cast<RingType>(operands.front().getType());
  if (!ring)
    return failure();
  llvm::append_range(types, ring.getSlots());
  return success();
}

static void nameSlots(ResultRange slots, OpAsmSetValueNameFn setName) {
  for (OpResult slot : slots)
    setName(slot, StringRef("abcdefgh").substr(slot.getResultNumber(), 1));
}

LogicalResult ProduceOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands, DictionaryAttr,
                                          OpaqueProperties, RegionRange, SmallVectorImpl<Type> &types) {
  return inferSlots(operands, types);
}

void ProduceOp::getAsmResultNames(OpAsmSetValueNameFn setName) { nameSlots(getSlots(), setName); }

LogicalResult ConsumeOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands, DictionaryAttr,
                                          OpaqueProperties, RegionRange, SmallVectorImpl<Type> &types) {
  return inferSlots(operands, types);
}

void ConsumeOp::getAsmResultNames(OpAsmSetValueNameFn setName) { nameSlots(getSlots(), setName); }

//===--- alloc ---===//

LogicalResult AllocOp::verify() {
  if (!getType().isShared()) // alloc A1
    return emitOpError() << "A1: the tile is " << getType() << "; it must be in shared memory";
  if (static_cast<int64_t>(getPadding().value_or(0)) < 0) // alloc A2
    return emitOpError() << "A2: padding is " << static_cast<int64_t>(*getPadding()) << "; it must not be negative";
  return success();
}

//===--- window, slice, subview, transpose ---===//

BlockArgument argumentOf(Value tensor) {
  if (auto window = tensor.getDefiningOp<WindowOp>())
    tensor = window.getSource();
  return dyn_cast<BlockArgument>(tensor);
}

LogicalResult WindowOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor window,
                                         SmallVectorImpl<Type> &types) {
  auto source = dyn_cast<GlobalType>(window.getSource().getType());
  if (!source)
    return failure();
  SmallVector<int64_t> shape(source.getShape());
  if (int64_t dim = window.getDim(); dim >= 0 && dim < source.getRank())
    shape[static_cast<size_t>(dim)] = ShapedType::kDynamic;
  types.push_back(GlobalType::get(source.getContext(), shape, source.getElementType(), source.getUnitDim()));
  return success();
}

LogicalResult WindowOp::verify() {
  auto dim = static_cast<int64_t>(getDim());
  if (dim < 0 || dim >= getSource().getType().getRank()) // window N1
    return emitOpError() << "N1: dim is " << dim << "; the tensor has dims 0 to "
                         << getSource().getType().getRank() - 1;
  if (!isa<BlockArgument>(getSource())) // window N2
    return emitOpError() << "N2: the tensor is a window itself; take one window of the kernel's argument";
  return success();
}

LogicalResult SliceOp::verify() {
  GlobalType source = getSource().getType();
  ViewType view = getType();
  if (static_cast<int64_t>(getOffsets().size()) != source.getRank()) // slice S1
    return emitOpError() << "S1: there are " << getOffsets().size() << " offsets; the tensor has " << source.getRank()
                         << " dims";
  if (!view.isGlobal() || view.getRank() > source.getRank()) // slice S2
    return emitOpError() << "S2: the view is " << view << "; it must be global and of rank at most "
                         << source.getRank();
  if (view.getElementType() != source.getElementType()) // slice S3
    return emitOpError() << "S3: the view holds " << view.getElementType() << ", the tensor " << source.getElementType()
                         << "; element types must be equal";
  return success();
}

LogicalResult SubviewOp::verify() {
  ViewType source = getSource().getType(), view = getType();
  if (static_cast<int64_t>(getOffsets().size()) != source.getRank() || view.getRank() != source.getRank() ||
      view.getSpace() != source.getSpace() || view.getElementType() != source.getElementType()) // subview W1
    return emitOpError() << "W1: source is " << source << ", result is " << view << ", with " << getOffsets().size()
                         << " offsets; ranks, spaces and element types must be equal";
  for (auto [part, whole] : llvm::zip_equal(view.getShape(), source.getShape()))
    if (part > whole) // subview W2
      return emitOpError() << "W2: source is " << shapeText(source.getShape()) << ", result is "
                           << shapeText(view.getShape()) << "; no extent may exceed the source's";
  return success();
}

LogicalResult TransposeOp::verify() {
  auto source = cast<ShapedType>(getSource().getType()), result = cast<ShapedType>(getResult().getType());
  llvm::SmallBitVector seen(source.getRank());
  for (int64_t dim : getPermutation())
    if (dim >= 0 && dim < source.getRank())
      seen.set(dim);
  if (!seen.all() || static_cast<int64_t>(getPermutation().size()) != source.getRank()) // transpose X1
    return emitOpError() << "X1: permutation is [" << getPermutation() << "]; it must permute the " << source.getRank()
                         << " dims of the source";
  SmallVector<int64_t> shape;
  for (int64_t dim : getPermutation())
    shape.push_back(source.getDimSize(dim));
  auto sourceView = dyn_cast<ViewType>(source), view = dyn_cast<ViewType>(result);
  bool sameKind =
      static_cast<bool>(sourceView) == static_cast<bool>(view) && (!view || view.getSpace() == sourceView.getSpace());
  if (!sameKind || ArrayRef<int64_t>(shape) != result.getShape() ||
      source.getElementType() != result.getElementType()) // transpose X2
    return emitOpError() << "X2: result is " << result << "; it must be the source's kind of tile, " << shapeText(shape)
                         << " of " << source.getElementType();
  return success();
}

//===--- copy, load, store ---===//

/// Shapes and element types of the two ends of a transfer; `rules` are the ids of the two rules.
static LogicalResult verifyEnds(Operation *op, StringRef shapeRule, StringRef typeRule, Value source, StringRef name,
                                Value destination, StringRef destinationName) {
  auto from = cast<ShapedType>(source.getType()), to = cast<ShapedType>(destination.getType());
  if (from.getShape() != to.getShape()) {
    InFlightDiagnostic error = op->emitOpError()
                               << shapeRule << ": " << name << " is " << shapeText(from.getShape()) << ", "
                               << destinationName << " is " << shapeText(to.getShape()) << "; shapes must be equal";
    Value other = op->getNumResults() ? source : destination;
    noteShapeOrigin(*error.getUnderlyingDiagnostic(), other, op->getNumResults() ? name : destinationName);
    return error;
  }
  if (from.getElementType() != to.getElementType())
    return op->emitOpError() << typeRule << ": " << name << " holds " << from.getElementType() << ", "
                             << destinationName << " " << to.getElementType() << "; element types must be equal";
  return success();
}

static LogicalResult verifyAccumulate(Operation *op, StringRef rule, bool accumulate, ViewType destination) {
  Type type = destination.getElementType();
  if (accumulate && !(destination.isGlobal() &&
                      (type.isF32() || type.isF16() || type.isBF16() || type.isInteger(32)))) // PTX ISA 9.0, red
    return op->emitOpError() << rule << ": destination is " << destination
                             << "; accumulate needs a global view of f32, f16, bf16 or i32";
  return success();
}

LogicalResult CopyOp::verify() {
  if (failed(verifyEnds(*this, "C1", "C2", getSource(), "source", getDestination(), "destination"))) // copy C1, C2
    return failure();
  ViewType source = getSource().getType(), destination = getDestination().getType();
  if (source.isGlobal() && destination.isGlobal()) // copy C3
    return emitOpError() << "C3: source and destination are global; at most one side may be";
  return verifyAccumulate(*this, "C4", getAccumulate(), destination); // copy C4
}

LogicalResult LoadOp::verify() {
  if (failed(verifyEnds(*this, "L1", "L2", getSource(), "source", getResult(), "result"))) // load L1, L2
    return failure();
  ViewType source = getSource().getType();
  if (getFillAttr() && (getFillAttr().getType() != source.getElementType() || !source.isGlobal())) // load L3
    return emitOpError() << "L3: fill is " << getFillAttr() << ", source is " << source
                         << "; fill must have the element type, and the source must be global";
  return success();
}

LogicalResult ReadOp::verify() {
  GlobalType source = getSource().getType();
  if (static_cast<int64_t>(getIndices().size()) != source.getRank()) // read D1
    return emitOpError() << "D1: there are " << getIndices().size() << " indices; the tensor has " << source.getRank()
                         << " dims";
  if (getType() != source.getElementType()) // read D2
    return emitOpError() << "D2: result is " << getType() << "; the tensor holds " << source.getElementType();
  return success();
}

LogicalResult StoreOp::verify() {
  if (failed(verifyEnds(*this, "O1", "O2", getValue(), "value", getDestination(), "destination"))) // store O1, O2
    return failure();
  return verifyAccumulate(*this, "O3", getAccumulate(), getDestination().getType()); // store O3
}

} // namespace tegula::tile
