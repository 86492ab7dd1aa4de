// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether ldmatrix or stmatrix can move a register tile from or to shared memory, and how.
//
// One instruction moves 1, 2 or 4 matrices of 8 rows x 16 bytes. A row is contiguous in shared memory; lane l gives the
// address of row l % 8 of matrix l / 8. In registers, matrix q is 32-bit register q: lane l has the 16-bit elements
// 2 * (l % 4) and + 1 of row l / 4; with .trans it has those *rows* of column l / 4 instead. So the instruction fits
// when pairs and quads of the fragment run along the unit dimension (as is) or across it (.trans):
//
//     wgmma's accumulator, packed to 16 bits, to a row-major tile (unit dimension n):    stmatrix.x4
//     the same to a column-major tile (unit dimension m):                                stmatrix.x4.trans
//
// \source PTX ISA 9.0, ldmatrix, stmatrix
#pragma once

#include "compiler/layout/fragment.h"
#include "compiler/layout/swizzle.h"

namespace tegula::layout {

/// One instruction: `count` 32-bit registers from `first_word` on, matrices whose rows start at base + row terms.
struct MatrixMove {
  int64_t first_word = 0; ///< 32-bit register; for 16-bit elements, registers 2 * first_word .. of the fragment
  Coordinates base;       ///< constant part of the row's coordinates, in elements of the tile
};

struct MatrixMovePlan {
  bool trans = false;
  int count = 4; ///< matrices an instruction: 1, 2 or 4
  std::vector<MatrixMove> moves;
  /// What a thread adds to `base` for the coordinates of the first element of the row that it gives the address of.
  /// Terms of `lane` as they stand for an instruction of `count` matrices (lanes from 8 * count on are not read, and
  /// their addresses are those of lower lanes), terms of `warp` for the part that the warp holds.
  std::vector<ThreadTerm> row_terms;

  /// base + terms, for one lane: the coordinates whose address it gives.
  Coordinates row(const MatrixMove &move, int64_t lane, int64_t warp) const;
};

/// Fails, saying why, when the fragment's lanes are not spread as the instruction wants, or rows are not 16-byte chunks
/// of shared memory; use plain accesses then. Elements of 8 or 32 bits are moved as pairs or halves of 16 bits, which
/// rules out .trans. A fragment with replicas across lanes never fits.
Outcome<MatrixMovePlan> plan_matrix_move(const Fragment &fragment, const SharedLayout &layout);

} // namespace tegula::layout
