// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Byte offsets of tiles in shared memory, and which parts of a tile are tiles of the same kind.
#include "compiler/layout/swizzle.h"

#include <set>
#include <utility>

namespace tegula::layout {
namespace {

int64_t round_up(int64_t value, int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

// The last two dimensions are the matrix; everything before is a stack of them.
int leading_dims(const SharedLayout &layout) { return layout.rank() > 2 ? layout.rank() - 2 : 0; }

SharedLayout finish(SharedLayout layout) {
  layout.panel_rows = layout.rows();
  if (leading_dims(layout) > 0)
    layout.matrix_bytes = round_up(layout.panels() * layout.panel_stride(), layout.alignment());
  return layout;
}

} // namespace

int64_t swizzle_mask(Swizzle swizzle) { return swizzle == Swizzle::none ? 0 : span_bytes(swizzle) / 16 - 1; }
int64_t swizzle_repeat(Swizzle swizzle) { return swizzle == Swizzle::none ? 16 : 8 * span_bytes(swizzle); }

int64_t apply_swizzle(Swizzle swizzle, int64_t address) {
  return address ^ (((address >> 7) & swizzle_mask(swizzle)) << 4);
}

Swizzle choose_swizzle(int64_t row_bytes) {
  for (Swizzle swizzle : {Swizzle::b128, Swizzle::b64, Swizzle::b32})
    if (row_bytes > 0 && row_bytes % span_bytes(swizzle) == 0)
      return swizzle;
  return Swizzle::none;
}

SharedLayout SharedLayout::swizzled(Shape shape, int unit_dim, int64_t element_bytes, Swizzle swizzle) {
  if (swizzle == Swizzle::none)
    return plain(std::move(shape), unit_dim, element_bytes);
  return finish({std::move(shape), unit_dim, element_bytes, swizzle, span_bytes(swizzle)});
}

SharedLayout SharedLayout::best(Shape shape, int unit_dim, int64_t element_bytes) {
  const Swizzle swizzle = choose_swizzle(shape[unit_dim] * element_bytes);
  // A single row gains nothing from a swizzle, and without one it is a plain array.
  const bool one_row = shape.size() == 1;
  return swizzled(std::move(shape), unit_dim, element_bytes, one_row ? Swizzle::none : swizzle);
}

SharedLayout SharedLayout::plain(Shape shape, int unit_dim, int64_t element_bytes, int64_t padding_bytes) {
  const int64_t row_bytes = shape[unit_dim] * element_bytes;
  return finish({std::move(shape), unit_dim, element_bytes, Swizzle::none, row_bytes, 0, padding_bytes});
}

SharedLayout SharedLayout::core_matrices(Shape shape, int unit_dim, int64_t element_bytes) {
  return finish({std::move(shape), unit_dim, element_bytes, Swizzle::none, 16});
}

std::optional<std::string> SharedLayout::problem() const {
  if (shape.empty())
    return "a tile of rank 0 has no layout";
  for (int64_t extent : shape)
    if (extent < 1)
      return "the shape has an extent of " + std::to_string(extent) + ", below 1";
  if (unit_dim < leading_dims(*this) || unit_dim >= rank())
    return "the unit dimension " + std::to_string(unit_dim) + " is not among the last two of rank " +
           std::to_string(rank());
  if (element_bytes < 1 || element_bytes > 16 || (element_bytes & (element_bytes - 1)) != 0)
    return "elements of " + std::to_string(element_bytes) + " bytes; must be 1, 2, 4, 8 or 16";
  if (panel_bytes < 1 || panel_bytes % element_bytes != 0 || padding_bytes < 0)
    return "panels of " + std::to_string(panel_bytes) + " bytes and padding of " + std::to_string(padding_bytes) +
           " hold no elements of " + std::to_string(element_bytes) + " bytes";
  if (swizzle != Swizzle::none && panel_bytes != span_bytes(swizzle))
    return "panels of " + std::to_string(panel_bytes) + " bytes under a swizzle of " + std::string(name(swizzle));
  if (row_bytes() > panel_bytes && row_bytes() % panel_bytes != 0)
    return "rows of " + std::to_string(row_bytes()) + " bytes are no multiple of the panel's " +
           std::to_string(panel_bytes);
  if (padding_bytes > 0 && (swizzle != Swizzle::none || panels() > 1))
    return "only plain rows can be padded";
  if (padding_bytes % element_bytes != 0)
    return "padding of " + std::to_string(padding_bytes) + " bytes is no multiple of the element's " +
           std::to_string(element_bytes);
  if (panel_rows < rows())
    return "panels of " + std::to_string(panel_rows) + " rows are too short for " + std::to_string(rows());
  if (leading_dims(*this) > 0 && (matrix_bytes < panels() * rows() * pitch_bytes() || matrix_bytes % alignment() != 0))
    return "matrices every " + std::to_string(matrix_bytes) + " bytes overlap or are not aligned to " +
           std::to_string(alignment());
  return std::nullopt;
}

int SharedLayout::row_dim() const { return rank() < 2 ? -1 : unit_dim == rank() - 1 ? rank() - 2 : rank() - 1; }
int64_t SharedLayout::rows() const { return rank() < 2 ? 1 : shape[row_dim()]; }
int64_t SharedLayout::row_bytes() const { return shape[unit_dim] * element_bytes; }
int64_t SharedLayout::pitch_bytes() const { return panel_bytes + padding_bytes; }
int64_t SharedLayout::panels() const { return (row_bytes() + panel_bytes - 1) / panel_bytes; }
int64_t SharedLayout::panel_stride() const { return panel_rows * pitch_bytes(); }

int64_t SharedLayout::stride_bytes(int dim) const {
  if (dim == unit_dim)
    return element_bytes;
  if (dim == row_dim())
    return pitch_bytes();
  int64_t stride = matrix_bytes;
  for (int later = dim + 1; later < leading_dims(*this); ++later)
    stride *= shape[later];
  return stride;
}

int64_t SharedLayout::size_bytes() const {
  int64_t last_matrix = 0;
  for (int dim = 0; dim < leading_dims(*this); ++dim)
    last_matrix += (shape[dim] - 1) * stride_bytes(dim);
  return last_matrix + (panels() - 1) * panel_stride() + rows() * pitch_bytes();
}

int64_t SharedLayout::alignment() const { return swizzle == Swizzle::none ? 128 : swizzle_repeat(swizzle); }

int64_t SharedLayout::linear_offset(const Coordinates &coordinates) const {
  const int64_t b = coordinates[unit_dim] * element_bytes;
  int64_t result = b / panel_bytes * panel_stride() + b % panel_bytes;
  for (int dim = 0; dim < rank(); ++dim)
    if (dim != unit_dim)
      result += coordinates[dim] * stride_bytes(dim);
  return result;
}

int64_t SharedLayout::offset(const Coordinates &coordinates) const {
  return apply_swizzle(swizzle, linear_offset(coordinates));
}

bool SharedLayout::is_bijective() const {
  std::set<int64_t> taken;
  Coordinates at(shape.size(), 0);
  while (true) {
    const int64_t byte = offset(at);
    // Elements are naturally aligned, so that two of them share all of their bytes or none.
    if (byte < 0 || byte + element_bytes > size_bytes() || byte % element_bytes != 0 || !taken.insert(byte).second)
      return false;
    int dim = rank() - 1;
    while (dim >= 0 && ++at[dim] == shape[dim])
      at[dim--] = 0;
    if (dim < 0)
      return true;
  }
}

Outcome<int64_t> SharedLayout::subtile_offset(const Coordinates &offsets) const {
  if (offsets.size() != shape.size())
    return Misfit{std::to_string(offsets.size()) + " offsets into a tile of rank " + std::to_string(rank())};
  for (int dim = 0; dim < rank(); ++dim)
    if (offsets[dim] < 0 || offsets[dim] >= shape[dim])
      return Misfit{"offset " + std::to_string(offsets[dim]) + " is outside the extent " + std::to_string(shape[dim]) +
                    " of dimension " + std::to_string(dim)};
  const int64_t b = offsets[unit_dim] * element_bytes;
  if (panels() > 1 || swizzle != Swizzle::none)
    if (b % panel_bytes != 0)
      return Misfit{"a part that starts at byte " + std::to_string(b) + " of a row is inside a panel of " +
                    std::to_string(panel_bytes) + " bytes"};
  const int64_t linear = linear_offset(offsets);
  if (linear % swizzle_repeat(swizzle) != 0 && swizzle != Swizzle::none)
    return Misfit{"a part that starts at byte " + std::to_string(linear) + " is off the " +
                  std::to_string(swizzle_repeat(swizzle)) + "-byte pattern of swizzle " + std::string(name(swizzle)) +
                  ": rows must start at a multiple of 8"};
  return linear;
}

Outcome<SharedView> SharedLayout::view(const Shape &part, const Coordinates &offsets) const {
  Outcome<int64_t> start = subtile_offset(offsets);
  if (!start)
    return Misfit{start.reason()};
  const int dropped = rank() - static_cast<int>(part.size());
  if (dropped < 0 || dropped > leading_dims(*this))
    return Misfit{"a part of rank " + std::to_string(part.size()) + " of a tile of rank " + std::to_string(rank())};
  for (int dim = dropped; dim < rank(); ++dim)
    if (offsets[dim] + part[dim - dropped] > shape[dim])
      return Misfit{"a part of " + std::to_string(part[dim - dropped]) + " at " + std::to_string(offsets[dim]) +
                    " ends outside the extent " + std::to_string(shape[dim]) + " of dimension " + std::to_string(dim)};
  const int stack_dims = leading_dims(*this) - dropped;
  for (int dim = dropped + 1; dim < dropped + stack_dims; ++dim)
    if (part[dim - dropped] != shape[dim])
      return Misfit{"a part that is narrower than the tile in the inner stacking dimension " + std::to_string(dim)};
  SharedView result{*this, *start};
  result.layout.shape = part;
  result.layout.unit_dim = unit_dim - dropped;
  if (stack_dims == 0)
    result.layout.matrix_bytes = 0;
  if (auto problem = result.layout.problem())
    return Misfit{*problem};
  return result;
}

SharedLayout SharedLayout::transpose() const {
  SharedLayout result = *this;
  std::swap(result.shape[rank() - 1], result.shape[rank() - 2]);
  result.unit_dim = row_dim();
  return result;
}

std::string to_string(const SharedLayout &layout) {
  std::string out = "[";
  for (int dim = 0; dim < layout.rank(); ++dim)
    out += (dim ? ", " : "") + std::to_string(layout.shape[dim]);
  out += "]xb" + std::to_string(layout.element_bytes) + ", unit " + std::to_string(layout.unit_dim) + ", swizzle " +
         std::string(name(layout.swizzle)) + ", panel " + std::to_string(layout.panel_bytes);
  if (layout.panel_rows != layout.rows())
    out += " x " + std::to_string(layout.panel_rows) + " rows";
  if (layout.padding_bytes)
    out += ", padding " + std::to_string(layout.padding_bytes);
  return out;
}

} // namespace tegula::layout
