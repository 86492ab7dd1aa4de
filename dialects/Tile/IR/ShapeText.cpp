// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shapes in words, for diagnostics.

#include "dialects/Tile/IR/ShapeText.h"

#include "dialects/Tile/IR/TileDialect.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tegula::tile {

std::string shapeText(ArrayRef<int64_t> shape) {
  if (shape.empty())
    return "scalar";
  std::string text;
  for (int64_t extent : shape) {
    if (!text.empty())
      text += 'x';
    text += ShapedType::isDynamic(extent) ? std::string("?") : std::to_string(extent);
  }
  return text;
}

Operation *shapeOrigin(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto produce = dyn_cast_or_null<ProduceOp>(op))
    return produce.getRing().getDefiningOp();
  if (auto consume = dyn_cast_or_null<ConsumeOp>(op))
    return consume.getRing().getDefiningOp();
  return op;
}

void noteShapeOrigin(Diagnostic &diagnostic, Value value, StringRef what) {
  if (Operation *op = shapeOrigin(value))
    diagnostic.attachNote(op->getLoc()) << what << " got its shape here";
}

} // namespace tegula::tile
