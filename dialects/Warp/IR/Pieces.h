// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Register tiles cut into equal pieces, such that every thread holds its share of each.

#ifndef TEGULA_DIALECTS_WARP_IR_PIECES_H
#define TEGULA_DIALECTS_WARP_IR_PIECES_H

#include "compiler/layout/fragment.h"

namespace tegula::warp {

/// The dim of a rank-2 tile along which registers alone can tell the most pieces apart: n of an accumulator.
int cutDim(const layout::Fragment &fragment);
/// Whether the tile can be cut into so many pieces along `dim`.
bool canCut(const layout::Fragment &fragment, int64_t pieces, int dim);
/// How the threads hold a piece. `canCut` holds.
layout::Fragment pieceOf(const layout::Fragment &fragment, int64_t pieces, int dim);
/// The registers of the whole tile that make piece `index`, in the order of the piece's fragment. `canCut` holds.
std::vector<int64_t> registersOfPiece(const layout::Fragment &fragment, int64_t index, int64_t pieces, int dim);

} // namespace tegula::warp

#endif // TEGULA_DIALECTS_WARP_IR_PIECES_H
