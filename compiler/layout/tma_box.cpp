// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Divides a tile into TMA boxes: each box fills bytes of shared memory that follow one another without a gap.
#include "compiler/layout/tma_box.h"

#include <algorithm>

namespace tegula::layout {
namespace {

constexpr int64_t kMaxBoxSide = 256; // CUDA driver API, cuTensorMapEncodeTiled: boxDim
constexpr size_t kMaxMapRank = 5;

std::string number(int64_t value) { return std::to_string(value); }

/// Finds the box of one part of the tile, dimension by dimension from the innermost.
class BoxFinder {
public:
  BoxFinder(const SharedLayout &layout, Shape part) : layout_(layout), part_(std::move(part)) {
    box_.assign(part_.size(), 1);
  }

  /// The box, by the tile's dimensions; or what stands in the way.
  Outcome<Shape> find() {
    if (auto reason = choose_unit())
      return Misfit{*reason};
    if (layout_.rank() > 1)
      if (auto reason = choose_rows())
        return Misfit{*reason};
    if (layout_.rank() > 2)
      choose_stack();
    return box_;
  }

private:
  int64_t unit_bytes() const { return box_[layout_.unit_dim] * layout_.element_bytes; }

  // Within a panel, as wide as can be; a divisor, so that one box shape serves all copies.
  std::optional<std::string> choose_unit() {
    const int64_t extent = part_[layout_.unit_dim], panel = layout_.panel_bytes / layout_.element_bytes;
    if (extent * layout_.element_bytes % 16 != 0)
      return "rows of " + number(extent * layout_.element_bytes) + " bytes are no multiple of 16";
    if (layout_.swizzle != Swizzle::none && extent % panel != 0)
      return "rows of " + number(extent * layout_.element_bytes) + " bytes do not fill panels of " +
             number(layout_.panel_bytes);
    if (layout_.panels() > 1 && layout_.panel_stride() % layout_.alignment() != 0)
      return "panels of " + number(layout_.panel_rows) + " rows of " + number(layout_.pitch_bytes()) +
             " bytes do not start at multiples of " + number(layout_.alignment());
    for (int64_t side = std::min({extent, panel, kMaxBoxSide}); side > 0; --side) {
      const int64_t bytes = side * layout_.element_bytes;
      const bool alone = side == layout_.shape[layout_.unit_dim] || side == panel;
      if (extent % side == 0 && panel % side == 0 && bytes % 16 == 0 && (alone || bytes % layout_.alignment() == 0)) {
        box_[layout_.unit_dim] = side;
        return std::nullopt;
      }
    }
    return "a row of " + number(extent) + " elements of " + number(layout_.element_bytes) +
           " bytes does not divide into boxes of at most 256 elements that start at multiples of " +
           number(layout_.alignment()) + " bytes";
  }

  // Rows follow one another without a gap if the box is as wide as the pitch; else a box has one row.
  std::optional<std::string> choose_rows() {
    const int dim = layout_.row_dim();
    const int64_t extent = part_[dim], pitch = layout_.pitch_bytes(), align = layout_.alignment();
    const bool dense = unit_bytes() == pitch;
    for (int64_t side = dense ? std::min(extent, kMaxBoxSide) : 1; side > 0; --side)
      if (extent % side == 0 && (side == layout_.shape[dim] || side * pitch % align == 0)) {
        box_[dim] = side;
        return std::nullopt;
      }
    return number(extent) + " rows of " + number(pitch) +
           " bytes do not divide into boxes that start at multiples of " + number(align) + " bytes";
  }

  // Whole matrices that follow one another without a gap go into one box.
  void choose_stack() {
    const int64_t matrix = layout_.rows() * layout_.pitch_bytes();
    bool dense = layout_.panels() == 1 && box_[layout_.row_dim()] == layout_.rows() &&
                 unit_bytes() == layout_.row_bytes() && layout_.matrix_bytes == matrix;
    for (int dim = layout_.rank() - 3; dim >= 0 && dense; --dim) {
      int64_t side = std::min(part_[dim], kMaxBoxSide);
      while (part_[dim] % side != 0)
        --side;
      box_[dim] = side;
      dense = side == layout_.shape[dim];
    }
  }

  const SharedLayout &layout_;
  Shape part_, box_;
};

std::vector<BoxCopy> enumerate_copies(const SharedLayout &layout, const Shape &part, const Shape &box) {
  std::vector<BoxCopy> copies;
  Coordinates at(part.size(), 0);
  while (true) {
    copies.push_back({at, layout.linear_offset(at)});
    int dim = layout.rank() - 1;
    while (dim >= 0 && (at[dim] += box[dim]) >= part[dim])
      at[dim--] = 0;
    if (dim < 0)
      break;
  }
  std::sort(copies.begin(), copies.end(),
            [](const BoxCopy &a, const BoxCopy &b) { return a.shared_offset < b.shared_offset; });
  return copies;
}

std::optional<std::string> divide(const SharedLayout &layout, TmaParts parts, Shape &part, TmaPlan &plan) {
  if (parts.count <= 1)
    return std::nullopt;
  if (parts.dim < 0 || parts.dim >= layout.rank() || part[parts.dim] % parts.count != 0)
    return "dimension " + number(parts.dim) + " of " + to_string(layout) + " does not divide into " +
           number(parts.count) + " parts";
  part[parts.dim] /= parts.count;
  Coordinates second(part.size(), 0);
  second[parts.dim] = part[parts.dim];
  const int64_t step = layout.linear_offset(second);
  const int64_t part_bytes = part[parts.dim] * layout.element_bytes;
  if (step % layout.alignment() != 0 ||
      (parts.dim == layout.unit_dim && layout.panels() > 1 && part_bytes % layout.panel_bytes != 0))
    return "part 1 of " + number(parts.count) + " would start at byte " + number(step) + ", not at a multiple of " +
           number(layout.alignment());
  plan.parts = parts.count;
  plan.part_dim = parts.dim;
  plan.part_extent = part[parts.dim];
  plan.part_shared_step = step;
  return std::nullopt;
}

} // namespace

Outcome<TmaPlan> plan_tma(const SharedLayout &layout, TmaParts parts) {
  if (auto problem = layout.problem())
    return Misfit{*problem};
  if (layout.shape.size() > kMaxMapRank)
    return Misfit{"a tile of rank " + number(layout.rank()) + "; a tensor map has at most 5 dimensions"};
  TmaPlan plan;
  plan.swizzle = layout.swizzle;
  Shape part = layout.shape;
  if (auto reason = divide(layout, parts, part, plan))
    return Misfit{*reason};
  Outcome<Shape> box = BoxFinder(layout, part).find();
  if (!box)
    return Misfit{box.reason()};

  plan.dims = {layout.unit_dim};
  for (int dim = layout.rank() - 1; dim >= 0; --dim)
    if (dim != layout.unit_dim)
      plan.dims.push_back(dim);
  plan.bytes_per_copy = layout.element_bytes;
  for (int dim : plan.dims) {
    plan.box.push_back((*box)[dim]);
    plan.bytes_per_copy *= (*box)[dim];
  }
  plan.copies = enumerate_copies(layout, part, *box);
  plan.part_bytes = plan.bytes_per_copy * static_cast<int64_t>(plan.copies.size());
  plan.total_bytes = plan.part_bytes * plan.parts;
  return plan;
}

} // namespace tegula::layout
