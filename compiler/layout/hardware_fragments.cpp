// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Digits of the instructions' register fragments, and the choice of digits for tiles that meet no such instruction.
#include "compiler/layout/hardware_fragments.h"

#include <algorithm>
#include <numeric>

namespace tegula::layout {
namespace {

// All wgmma fragments are one pattern of 8 x 4 lanes and 4 warps: a lane holds `pack` neighbours of a row, a core
// matrix is 8 rows x 4 * pack columns, two of them stand above one another, then the columns go on.
Fragment wgmma_fragment(int64_t rows, int64_t columns, int64_t pack, int64_t warpgroups) {
  const int64_t share = rows / warpgroups;
  return {{rows, columns},
          {{pack, 1, 1}, {2, 0, 8}, {columns / (4 * pack), 1, 4 * pack}, {share / 64, 0, 64}},
          {{4, 1, pack}, {8, 0, 1}},
          {{4, 0, 16}, {warpgroups, 0, share}}};
}

/// Hands out parts of an axis of threads to the dimensions of a tile.
class Spreader {
public:
  Spreader(const Shape &shape) : left_(shape), stride_(shape.size(), 1) {}

  /// As many of `threads` as divide what is left along `dim`; returns how many.
  int64_t give(int64_t threads, int dim, Digits &digits) {
    const int64_t part = std::gcd(threads, left_[dim]);
    append(part, dim, digits);
    return part;
  }

  void append(int64_t extent, int dim, Digits &digits) {
    if (extent > 1)
      digits.push_back({extent, dim, stride_[dim]});
    left_[dim] /= extent;
    stride_[dim] *= extent;
  }

  /// A block that comes last along `dim`: its stride leaps over all that is not handed out yet.
  int64_t give_outermost(int64_t threads, int dim, Digits &digits) {
    const int64_t part = std::gcd(threads, left_[dim]);
    left_[dim] /= part;
    if (part > 1)
      digits.push_back({part, dim, stride_[dim] * left_[dim]});
    return part;
  }

  int64_t left(int dim) const { return left_[dim]; }

private:
  Shape left_;
  std::vector<int64_t> stride_;
};

// Unit dimension first, then the others from the last to the first.
std::vector<int> nearest_first(int rank, int unit_dim) {
  std::vector<int> order = {unit_dim};
  for (int dim = rank - 1; dim >= 0; --dim)
    if (dim != unit_dim)
      order.push_back(dim);
  return order;
}

Fragment blocked_with_vector(const Shape &shape, int unit_dim, int64_t vector, int64_t warps) {
  const std::vector<int> order = nearest_first(static_cast<int>(shape.size()), unit_dim);
  Spreader spreader(shape);
  Digits reg, lane, warp;
  spreader.append(vector, unit_dim, reg);
  int64_t lanes_left = kLanes, warps_left = warps;
  for (int dim : order)
    lanes_left /= spreader.give(lanes_left, dim, lane);
  // Warps take the outer dimensions first: each gets rows of its own.
  for (auto dim = order.rbegin(); dim != order.rend(); ++dim)
    warps_left /= spreader.give_outermost(warps_left, *dim, warp);
  for (int dim : order)
    spreader.append(spreader.left(dim), dim, reg);
  if (lanes_left > 1)
    lane.push_back({lanes_left, kReplicated, 0});
  if (warps_left > 1)
    warp.push_back({warps_left, kReplicated, 0});
  return {shape, reg, lane, warp};
}

} // namespace

Fragment wgmma_accumulator(int64_t rows, int64_t columns, int64_t warpgroups) {
  return wgmma_fragment(rows, columns, 2, warpgroups).canonical();
}
Fragment wgmma_a_16bit(int64_t rows, int64_t k, int64_t warpgroups) {
  return wgmma_fragment(rows, k, 2, warpgroups).canonical();
}
Fragment wgmma_a_8bit(int64_t rows, int64_t k, int64_t warpgroups) {
  return wgmma_fragment(rows, k, 4, warpgroups).canonical();
}
Fragment wgmma_a_tf32(int64_t rows, int64_t k, int64_t warpgroups) {
  return wgmma_fragment(rows, k, 1, warpgroups).canonical();
}

Fragment tmem_32x32b(int64_t columns) {
  return Fragment({128, columns}, {{columns, 1, 1}}, {{kLanes, 0, 1}}, {{4, 0, 32}}).canonical();
}

Fragment blocked(const Shape &shape, int unit_dim, int64_t vector_elements, int64_t warps) {
  if (shape.empty())
    return replicated(shape, warps);
  Fragment best = blocked_with_vector(shape, unit_dim, 1, warps);
  for (int64_t vector = 2; vector <= vector_elements && shape[unit_dim] % vector == 0; vector *= 2) {
    Fragment wider = blocked_with_vector(shape, unit_dim, vector, warps);
    if (wider.registers() > best.registers())
      break;
    best = wider;
  }
  return best.canonical();
}

Fragment replicated(const Shape &shape, int64_t warps) {
  Digits reg;
  for (int dim = static_cast<int>(shape.size()) - 1; dim >= 0; --dim)
    reg.push_back({shape[dim], dim, 1});
  return Fragment(shape, reg, {{kLanes, kReplicated, 0}}, {{warps, kReplicated, 0}}).canonical();
}

} // namespace tegula::layout
