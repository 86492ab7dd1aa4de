// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Visits every element of a shape, every element of a fragment: the brute force of the tests.
#pragma once

#include "compiler/layout/fragment.h"

namespace tegula::layout {

template <typename Visit> void every_element(const Shape &shape, Visit visit) {
  Coordinates at(shape.size(), 0);
  while (true) {
    visit(at);
    int dim = static_cast<int>(shape.size()) - 1;
    while (dim >= 0 && ++at[dim] == shape[dim])
      at[dim--] = 0;
    if (dim < 0)
      return;
  }
}

/// visit(reg, lane, warp)
template <typename Visit> void every_place(const Fragment &fragment, Visit visit) {
  for (int64_t warp = 0; warp < fragment.warps(); ++warp)
    for (int64_t lane = 0; lane < kLanes; ++lane)
      for (int64_t reg = 0; reg < fragment.registers(); ++reg)
        visit(reg, lane, warp);
}

/// Equal by trying every register, lane and warp; what same_mapping() must agree with.
inline bool equal_everywhere(const Fragment &a, const Fragment &b) {
  if (a.registers() != b.registers() || a.warps() != b.warps() || a.shape() != b.shape())
    return false;
  bool equal = true;
  every_place(a, [&](int64_t r, int64_t l, int64_t w) { equal &= a.coordinate(r, l, w) == b.coordinate(r, l, w); });
  return equal;
}

} // namespace tegula::layout
