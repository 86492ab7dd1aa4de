// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the elements of a tile lie in shared memory: panels, then a XOR swizzle. The TMA box, the wgmma descriptor and
// the addresses of ldmatrix and of plain accesses are all read off this one description (tma_box.h,
// matrix_descriptor.h, ldmatrix.h).
//
// ## The layout
//
// One dimension of the tile, the unit dimension, is contiguous. The tile is cut along it into panels W bytes wide;
// within a panel row r (index along the other dimension, of extent R) takes W bytes; panels follow one another:
//
//     linear = (b / W) * (R * W) + r * W + b % W              b = byte index along the unit dimension
//     offset = linear ^ (((linear >> 7) & m) << 4)            m = 7, 3, 1, 0 for swizzles of 128, 64, 32 bytes, none
//
// The hardware takes the XOR on the absolute address; both agree because a tile starts at a multiple of the pattern's
// repeat, 8 * W bytes (`alignment()`). Each swizzle is as wide as its panel. For a 128-byte swizzle, the 16-byte chunks
// of the first rows of a panel lie as follows, so that a column of chunks touches all 32 banks:
//
//     row 0:  0 1 2 3 4 5 6 7        row 2:  2 3 0 1 6 7 4 5
//     row 1:  1 0 3 2 5 4 7 6        row 3:  3 2 1 0 7 6 5 4      ... row 8 is as row 0
//
// Without a swizzle the panel is either the whole row, which may be padded ("plain": what threads like), or 16 bytes
// ("core matrices": the only unswizzled form that wgmma reads).
//
// A tile of more than two dimensions is a stack of such matrices: its last two dimensions are the matrix, the leading
// ones follow row-major, each matrix starting at a multiple of `alignment()`. A tile of one dimension is one row.
// \source PTX ISA 9.0, swizzling modes of tensors; measured on an H200 for every case
#pragma once

#include "compiler/layout/fragment.h"
#include "runtime/types/swizzle.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tegula::layout {

using tegula::Swizzle;

/// `addr ^= ((addr >> 7) & swizzle_mask) << 4`: 0, 1, 3 or 7.
int64_t swizzle_mask(Swizzle swizzle);
/// The pattern repeats every so many bytes, a tile starts at a multiple of it: 1024, 512, 256; 16 for none.
int64_t swizzle_repeat(Swizzle swizzle);
/// The XOR itself, on a byte address.
int64_t apply_swizzle(Swizzle swizzle, int64_t address);
/// The widest swizzle whose width divides a row of so many bytes.
Swizzle choose_swizzle(int64_t row_bytes);

struct SharedView;

struct SharedLayout {
  Shape shape;
  int unit_dim = 0; ///< one of the last two dimensions
  int64_t element_bytes = 1;
  Swizzle swizzle = Swizzle::none;
  int64_t panel_bytes = 0;   ///< W
  int64_t panel_rows = 0;    ///< rows from one panel to the next: R, or more in a view of a taller tile
  int64_t padding_bytes = 0; ///< unused bytes behind each row of a plain layout
  int64_t matrix_bytes = 0;  ///< bytes from one matrix of a stack to the next; 0 for rank 1 and 2

  /// Panels as wide as the swizzle. `unit_dim` extents in bytes must be a multiple of it.
  static SharedLayout swizzled(Shape shape, int unit_dim, int64_t element_bytes, Swizzle swizzle);
  /// The widest swizzle that suits the row, else plain.
  static SharedLayout best(Shape shape, int unit_dim, int64_t element_bytes);
  /// Whole rows, one after the other, each followed by `padding_bytes`.
  static SharedLayout plain(Shape shape, int unit_dim, int64_t element_bytes, int64_t padding_bytes = 0);
  /// No swizzle, panels of 16 bytes.
  static SharedLayout core_matrices(Shape shape, int unit_dim, int64_t element_bytes);

  /// What is wrong, if anything; the other members hold only for layouts without a problem.
  std::optional<std::string> problem() const;

  int rank() const { return static_cast<int>(shape.size()); }
  int row_dim() const;         ///< the matrix dimension that is not the unit dimension; -1 for rank 1
  int64_t rows() const;        ///< R: extent of row_dim, 1 for rank 1
  int64_t row_bytes() const;   ///< bytes of one row, all panels, without padding
  int64_t pitch_bytes() const; ///< from one row to the next within a panel: W plus padding
  int64_t panels() const;
  int64_t panel_stride() const; ///< from one panel to the next: panel_rows * pitch_bytes
  /// Bytes that a dimension's index moves `linear_offset` by a step; the unit dimension's only within a panel.
  int64_t stride_bytes(int dim) const;
  int64_t size_bytes() const; ///< from the first to behind the last byte, padding included
  /// The tile's address is a multiple of this: the swizzle's repeat; 128 without one, which TMA asks for.
  int64_t alignment() const;

  /// Byte offset before the XOR. Additive: linear(a + b) = linear(a) + linear(b) as long as no panel is crossed.
  int64_t linear_offset(const Coordinates &coordinates) const;
  /// Byte offset from the tile's start, which is aligned.
  int64_t offset(const Coordinates &coordinates) const;
  /// No two elements share a byte and all lie within size_bytes().
  bool is_bijective() const;

  /// The byte offset at which the part of the tile that starts at `offsets` begins, provided that it starts at a
  /// multiple of the pattern, so that the part is laid out by the same rule; else the reason why not.
  Outcome<int64_t> subtile_offset(const Coordinates &offsets) const;
  /// The part itself: its layout (rows are counted in the tall panel) and where it begins. `shape` may have fewer
  /// dimensions than the tile: leading ones are then taken at one index (a slot of a ring).
  Outcome<SharedView> view(const Shape &shape, const Coordinates &offsets) const;
  /// The same bytes under other dimension names; only dimensions of the matrix may swap.
  SharedLayout transpose() const;

  bool operator==(const SharedLayout &) const = default;
};

struct SharedView {
  SharedLayout layout;
  int64_t byte_offset = 0;
};

/// `[64, 128]xb2, unit 1, swizzle b128, panel 128`, for diagnostics.
std::string to_string(const SharedLayout &layout);

} // namespace tegula::layout
