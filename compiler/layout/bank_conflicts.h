// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts how many trips a warp's access to shared memory takes, and how many it would take without conflicts.
#pragma once

#include "compiler/layout/fragment.h"
#include "compiler/layout/ldmatrix.h"
#include "compiler/layout/swizzle.h"

namespace tegula::layout {

/// Trips to the 32 banks of 4 bytes. Two lanes conflict when they want different words of one bank in one trip; lanes
/// of an 8-byte access go by halves of a warp, those of a 16-byte access by quarters, a matrix of ldmatrix by itself.
struct BankUse {
  int64_t wavefronts = 0; ///< of the worst access
  int64_t ideal = 0;      ///< of that access if its words were spread evenly

  bool conflict_free() const { return wavefronts <= ideal; }
};

/// Each thread moves `vector_bytes` (a divisor of its run along the unit dimension) by one ld/st.shared.
BankUse bank_conflicts(const Fragment &fragment, const SharedLayout &layout, int64_t vector_bytes);
/// The same for the instructions of a plan for ldmatrix or stmatrix, over all `warps`.
BankUse bank_conflicts(const MatrixMovePlan &plan, const SharedLayout &layout, int64_t warps);

/// The byte width, a power of two up to 16, of the widest aligned ld/st.shared by which threads that hold `fragment`
/// reach `layout`: a vector neither crosses a 16-byte chunk of a swizzle nor is misaligned.
int64_t access_bytes(const Fragment &fragment, const SharedLayout &layout);

} // namespace tegula::layout
