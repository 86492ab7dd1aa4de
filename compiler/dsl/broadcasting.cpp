// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A vector meets a matrix along the one dim that has its length; where that is not one dim, the user says which.
#include "compiler/dsl/broadcasting.h"

#include <fmt/format.h>

#include "dialects/Tile/IR/ShapeText.h"

namespace tegula::dsl {
namespace {

using Extents = mlir::ArrayRef<int64_t>;

Extents extents(const Meeting &tile) { return llvm::cast<mlir::RankedTensorType>(tile.value.getType()).getShape(); }

std::string text(Extents shape) { return tile::shapeText(shape); }

/// The shape that all get: that of the highest rank; of a row and a column, their outer shape.
std::vector<int64_t> common_shape(const std::vector<Meeting> &tiles) {
  Extents widest = extents(tiles.front());
  for (const Meeting &tile : tiles)
    if (extents(tile).size() > widest.size())
      widest = extents(tile);
  std::vector<int64_t> shape = widest.vec();
  if (shape.size() != 1)
    return shape;
  std::vector<int64_t> outer(2, 0);
  for (const Meeting &tile : tiles)
    if (tile.dim >= 0)
      outer[tile.dim] = extents(tile)[0];
  return outer[0] && outer[1] ? outer : shape;
}

/// The dim of `shape` that a vector of that length goes along; -1 after an error.
int dim_along(BuilderState &state, const Meeting &vector, Extents shape, const Where &where) {
  int64_t length = extents(vector)[0];
  if (vector.dim >= 0) {
    if (shape[vector.dim] == length)
      return vector.dim;
    state.error(where, fmt::format("a vector of {} goes along the {} of a {} tile; it must have {} elements", length,
                                   vector.dim ? "columns" : "rows", text(shape), shape[vector.dim]));
    return -1;
  }
  int found = -1;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (shape[dim] != length)
      continue;
    if (found >= 0) {
      state.error(where, fmt::format("a vector of {} meets a {} tile, and could go along either dim; write per_row(v) "
                                     "or per_column(v)",
                                     length, text(shape)));
      return -1;
    }
    found = static_cast<int>(dim);
  }
  if (found < 0)
    state.error(where,
                fmt::format("a vector of {} meets a {} tile, which has no dim of that extent", length, text(shape)));
  return found;
}

/// Inserts the missing dims, outermost first.
mlir::Value expand(BuilderState &state, mlir::Value vector, int along, Extents shape, mlir::Location location) {
  mlir::Type element = llvm::cast<mlir::RankedTensorType>(vector.getType()).getElementType();
  std::vector<int64_t> current = {shape[along]};
  for (int dim = 0; dim < static_cast<int>(shape.size()); ++dim) {
    if (dim == along)
      continue;
    current.insert(current.begin() + dim, shape[dim]);
    vector = tile::BroadcastOp::create(state.builder, location, mlir::RankedTensorType::get(current, element), vector,
                                       static_cast<uint64_t>(dim));
  }
  return vector;
}

} // namespace

bool broadcast_together(BuilderState &state, std::vector<Meeting> &tiles, const Where &where) {
  std::vector<int64_t> shape = common_shape(tiles);
  for (Meeting &tile : tiles) {
    if (extents(tile) == Extents(shape))
      continue;
    if (extents(tile).size() != 1 || shape.size() == 1) {
      state.error(where, fmt::format("operands are {} and {}; shapes must be equal, or one a vector along a dim of the "
                                     "other",
                                     text(extents(tiles.front())), text(extents(tiles.back()))));
      return false;
    }
    int along = dim_along(state, tile, shape, where);
    if (along < 0)
      return false;
    tile.value = expand(state, tile.value, along, shape, state.location(where));
  }
  return true;
}

} // namespace tegula::dsl
