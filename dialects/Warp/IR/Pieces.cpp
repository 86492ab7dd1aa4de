// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Warp/IR/Pieces.h"

#include <algorithm>

using namespace tegula;
using namespace tegula::layout;

namespace {

/// The slowest register digit along `dim`: its multiples are what pieces differ by. Null when registers don't move there.
Digit *slowestDigit(Digits &reg, int dim) {
  Digit *slowest = nullptr;
  for (Digit &digit : reg)
    if (digit.dim == dim && (!slowest || digit.stride > slowest->stride))
      slowest = &digit;
  return slowest;
}

int64_t mostPieces(const Fragment &fragment, int dim) {
  Digits reg = fragment.digits(Axis::reg);
  Digit *digit = slowestDigit(reg, dim);
  // Lanes and warps move within a piece only where the digit's steps are the tile's largest.
  return digit && digit->extent * digit->stride == fragment.shape()[static_cast<size_t>(dim)] ? digit->extent : 1;
}

} // namespace

int tegula::warp::cutDim(const Fragment &fragment) { return mostPieces(fragment, 0) > mostPieces(fragment, 1) ? 0 : 1; }

bool tegula::warp::canCut(const Fragment &fragment, int64_t pieces, int dim) {
  return mostPieces(fragment, dim) % pieces == 0;
}

Fragment tegula::warp::pieceOf(const Fragment &fragment, int64_t pieces, int dim) {
  Digits reg = fragment.digits(Axis::reg);
  if (Digit *digit = slowestDigit(reg, dim))
    digit->extent /= pieces;
  Shape shape = fragment.shape();
  shape[static_cast<size_t>(dim)] /= pieces;
  return Fragment(shape, reg, fragment.digits(Axis::lane), fragment.digits(Axis::warp)).canonical();
}

std::vector<int64_t> tegula::warp::registersOfPiece(const Fragment &fragment, int64_t index, int64_t pieces, int dim) {
  Fragment piece = pieceOf(fragment, pieces, dim);
  std::vector<int64_t> from;
  for (int64_t reg = 0; reg < piece.registers(); ++reg) {
    Coordinates wanted = piece.register_offset(reg);
    wanted[static_cast<size_t>(dim)] += index * piece.shape()[static_cast<size_t>(dim)];
    for (int64_t candidate = 0; candidate < fragment.registers(); ++candidate)
      if (fragment.register_offset(candidate) == wanted) {
        from.push_back(candidate);
        break;
      }
  }
  return from;
}
