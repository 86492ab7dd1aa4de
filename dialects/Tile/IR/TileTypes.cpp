// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types and enums of the tile dialect: their rules and their text.

#include "dialects/Tile/IR/TileDialect.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

/// `128x?xbf16`: extents, then the element type.
static ParseResult parseShape(AsmParser &parser, SmallVectorImpl<int64_t> &shape, Type &elementType) {
  if (parser.parseDimensionList(shape, /*allowDynamic=*/true, /*withTrailingX=*/true))
    return failure();
  return parser.parseType(elementType);
}

static void printShape(AsmPrinter &printer, ArrayRef<int64_t> shape, Type elementType) {
  for (int64_t extent : shape) {
    if (ShapedType::isDynamic(extent))
      printer << "?x";
    else
      printer << extent << 'x';
  }
  printer << elementType;
}

// Generated definitions leave parameters unused.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "dialects/Tile/IR/TileEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Tile/IR/TileTypes.cpp.inc"
#pragma GCC diagnostic pop

namespace tegula::tile {

using EmitError = llvm::function_ref<InFlightDiagnostic()>;

static LogicalResult verifyElement(EmitError emitError, StringRef rule, Type elementType) {
  if (!elementType.isIntOrFloat())
    return emitError() << rule << ": element type is " << elementType << "; it must be an integer or a float";
  unsigned bits = elementType.getIntOrFloatBitWidth();
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
    return emitError() << rule << ": element type " << elementType << " has " << bits
                       << " bits; it must have 8, 16, 32 or 64";
  return success();
}

static LogicalResult verifyRank(EmitError emitError, StringRef rule, ArrayRef<int64_t> shape) {
  if (shape.empty() || shape.size() > 5)
    return emitError() << rule << ": rank is " << shape.size() << "; it must be 1 to 5";
  return success();
}

LogicalResult GlobalType::verify(EmitError emitError, ArrayRef<int64_t> shape, Type elementType, int unitDim) {
  if (failed(verifyRank(emitError, "G1", shape))) // global G1
    return failure();
  if (unitDim < -1 || unitDim >= static_cast<int>(shape.size())) // global G2
    return emitError() << "G2: unit dim is " << unitDim << "; it must be -1 or below the rank, " << shape.size();
  return verifyElement(emitError, "G3", elementType); // global G3
}

LogicalResult ViewType::verify(EmitError emitError, ArrayRef<int64_t> shape, Type elementType, MemorySpace, Attribute) {
  if (failed(verifyRank(emitError, "V1", shape))) // view V1
    return failure();
  for (int64_t extent : shape)
    if (extent <= 0) // view V1
      return emitError() << "V1: extents of a view must be static and positive";
  return verifyElement(emitError, "V2", elementType); // view V2
}

ShapedType ViewType::cloneWith(std::optional<ArrayRef<int64_t>> shape, Type elementType) const {
  return ViewType::get(getContext(), shape.value_or(getShape()), elementType, getSpace(), getLayout());
}

bool ViewType::hasRank() const { return true; }

LogicalResult RingType::verify(EmitError emitError, int stages, ArrayRef<Type> slots) {
  if (stages < 1 || stages > 32) // ring R1
    return emitError() << "R1: ring has " << stages << " stages; it must have 1 to 32";
  if (slots.empty() || slots.size() > 8) // ring R2
    return emitError() << "R2: ring has " << slots.size() << " slots; it must have 1 to 8";
  for (Type slot : slots) {
    auto view = dyn_cast<ViewType>(slot);
    if (!view || !view.isShared()) // ring R2
      return emitError() << "R2: slot is " << slot << "; it must be a view in shared memory";
  }
  return success();
}

LogicalResult TilesType::verify(EmitError emitError, int rank) {
  if (rank < 1 || rank > 3) // tiles T1
    return emitError() << "T1: rank of an index space is " << rank << "; it must be 1 to 3";
  return success();
}

void TileDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Tile/IR/TileTypes.cpp.inc"
      >();
}

} // namespace tegula::tile
