// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which TMA boxes move a tile between global memory and its place in shared memory. Knows no IR and encodes no map:
// runtime/launch/tensor_map.cpp does, from the box and the swizzle given here.
#pragma once

#include "compiler/layout/swizzle.h"

namespace tegula::layout {

/// One cp.async.bulk.tensor of a plan.
struct BoxCopy {
  Coordinates tile_offset;   ///< where the box starts in the tile, by the tile's dimensions
  int64_t shared_offset = 0; ///< bytes from the tile's start in shared memory

  bool operator==(const BoxCopy &) const = default;
};

struct TmaPlan {
  std::vector<int> dims;    ///< dims[i]: the tile's dimension that is dimension i of the map; innermost first
  std::vector<int64_t> box; ///< box extents in elements, innermost first, each 1 to 256
  Swizzle swizzle = Swizzle::none;

  std::vector<BoxCopy> copies; ///< of the first part, in the order of shared memory
  int64_t bytes_per_copy = 0;  ///< what one copy adds to the barrier, clipped or not
  int64_t part_bytes = 0;      ///< bytes_per_copy * copies
  int64_t total_bytes = 0;     ///< of the whole tile: part_bytes * parts

  // A tile that blocks of a cluster load together: part p is the first part moved by p steps.
  int64_t parts = 1;
  int part_dim = -1;            ///< the tile's dimension that is divided; -1 for one part
  int64_t part_extent = 0;      ///< elements along part_dim from one part to the next
  int64_t part_shared_step = 0; ///< bytes in shared memory from one part to the next
};

struct TmaParts {
  int64_t count = 1;
  int dim = 0;
};

/// The boxes of a tile laid out as `layout`: as few as possible, at most 256 elements a side, no wider than a panel,
/// each at an address that TMA accepts (128 bytes, or the swizzle's repeat). The map's dimensions are the tile's: its
/// unit dimension, then the others, last first. With `parts`, the tile is divided evenly along a dimension and `copies`
/// are those of part 0. Fails, naming what doesn't fit, when rows are no multiple of 16 bytes, are padded, or when no
/// division into equal boxes puts every box at a good address.
///     bf16 [64, 256], unit 1, swizzle 128B: box {64, 64}, 4 copies at columns 0, 64, 128, 192, 8 KiB apart.
/// \source CUDA driver API 13.0, cuTensorMapEncodeTiled; PTX ISA 9.0, cp.async.bulk.tensor
Outcome<TmaPlan> plan_tma(const SharedLayout &layout, TmaParts parts = {});

} // namespace tegula::layout
