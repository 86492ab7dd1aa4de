// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Takes fragments apart and puts them together. LLVM's Scalarizer later removes the vectors in between.
#include "dialects/NVToLLVM/Registers.h"

#include "mlir/IR/Matchers.h"

namespace LLVM = mlir::LLVM;

namespace tegula::nv {

mlir::Value constantI32(mlir::OpBuilder &builder, mlir::Location loc, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), builder.getI32IntegerAttr(value));
}

RegisterShape registerShape(mlir::VectorType vector) {
  mlir::Type element = vector.getElementType();
  int64_t bits = vector.getNumElements() * element.getIntOrFloatBitWidth();
  mlir::MLIRContext *context = vector.getContext();
  if (element.getIntOrFloatBitWidth() >= 32)
    return {element, vector.getNumElements()};
  if (bits % 32 == 0)
    return {mlir::IntegerType::get(context, 32), bits / 32};
  return {mlir::IntegerType::get(context, static_cast<unsigned>(bits)), 1};
}

/// Fills `elements` from a chain of insertions at constant places; false where one is missing.
static bool knownElements(mlir::Value vector, llvm::SmallVectorImpl<mlir::Value> &elements) {
  size_t missing = elements.size();
  while (missing != 0) {
    auto insert = vector.getDefiningOp<LLVM::InsertElementOp>();
    llvm::APInt place;
    if (!insert || !mlir::matchPattern(insert.getPosition(), mlir::m_ConstantInt(&place)))
      return false;
    mlir::Value &element = elements[place.getZExtValue()];
    if (!element) {
      element = insert.getValue();
      --missing;
    }
    vector = insert.getVector();
  }
  return true;
}

llvm::SmallVector<mlir::Value> elementsOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value vector) {
  int64_t count = llvm::cast<mlir::VectorType>(vector.getType()).getNumElements();
  llvm::SmallVector<mlir::Value> elements(count);
  if (knownElements(vector, elements))
    return elements;
  for (auto [i, element] : llvm::enumerate(elements))
    element = LLVM::ExtractElementOp::create(builder, loc, vector, constantI32(builder, loc, i));
  return elements;
}

mlir::Value vectorOf(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<mlir::Value> elements,
                     mlir::VectorType type) {
  mlir::Value vector = LLVM::PoisonOp::create(builder, loc, type);
  for (auto [i, element] : llvm::enumerate(elements))
    vector = LLVM::InsertElementOp::create(builder, loc, vector, element, constantI32(builder, loc, i));
  return vector;
}

llvm::SmallVector<mlir::Value> unpack(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value vector) {
  auto type = llvm::cast<mlir::VectorType>(vector.getType());
  RegisterShape shape = registerShape(type);
  if (shape.type == type.getElementType())
    return elementsOf(builder, loc, vector);
  if (shape.count == 1)
    return {LLVM::BitcastOp::create(builder, loc, shape.type, vector)};
  if (auto cast = vector.getDefiningOp<LLVM::BitcastOp>()) // packed by pack()
    if (auto packed = llvm::dyn_cast<mlir::VectorType>(cast.getArg().getType());
        packed && packed.getElementType() == shape.type)
      return elementsOf(builder, loc, cast.getArg());
  auto packed = mlir::VectorType::get(shape.count, shape.type);
  return elementsOf(builder, loc, LLVM::BitcastOp::create(builder, loc, packed, vector));
}

mlir::Value pack(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<mlir::Value> registers,
                 mlir::VectorType type) {
  RegisterShape shape = registerShape(type);
  if (shape.type == type.getElementType())
    return vectorOf(builder, loc, registers, type);
  if (shape.count == 1)
    return LLVM::BitcastOp::create(builder, loc, type, registers.front());
  mlir::Value packed = vectorOf(builder, loc, registers, mlir::VectorType::get(shape.count, shape.type));
  return LLVM::BitcastOp::create(builder, loc, type, packed);
}

} // namespace tegula::nv
