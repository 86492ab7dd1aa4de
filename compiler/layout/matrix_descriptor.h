// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The 64-bit descriptor by which wgmma and tcgen05.mma read a tile of shared memory, read off the tile's layout.
//
// A descriptor says where the tile starts and how its core matrices (8 rows of 16 bytes) follow one another: LBO, the
// "leading" byte offset, SBO, the "stride" byte offset, and the swizzle. What LBO and SBO mean depends on the
// major-ness and, for MN-major, swaps between swizzled and not (R = mn extent, Kx = k extent, W = panel width):
//
// | major, W       | SBO                       | LBO                   | next 32 bytes of k              |
// |----------------|---------------------------|-----------------------|---------------------------------|
// | K, 32..128     | 8 * W: next 8 mn          | unused, 1             | + 32; after W bytes + R * W     |
// | K, none        | 128: next 8 mn            | 16 * R: next 16 B of k| + 2 * LBO                       |
// | MN, 32..128    | 8 * W: next 8 k           | Kx * W: next W of mn  | + 2 * SBO                       |
// | MN, none       | 16 * Kx: next 16 B of mn  | 128: next 8 k         | + 2 * LBO                       |
//
// \source PTX ISA 9.0, "Matrix Descriptor Format", "Shared Memory Descriptor"; every row measured on an H200, bf16
#pragma once

#include "compiler/layout/swizzle.h"

namespace tegula::layout {

enum class Major { k, mn };
enum class MatrixUnit { wgmma, tcgen05 };

/// K bytes that one wgmma or tcgen05.mma takes; for MN-major operands, the 16 elements that it takes.
inline constexpr int64_t kSliceBytes = 32;

struct DescriptorPlan {
  uint64_t constant_bits = 0; ///< all but the start address
  Major major = Major::k;
  int64_t lbo = 0, sbo = 0; ///< bytes
  Swizzle swizzle = Swizzle::none;
  int64_t k_slices = 0; ///< instructions that the tile's k is good for

  /// Bytes from the tile's start to slice `k_slice` of 32 bytes of k. Add (bytes >> 4) to the descriptor's low word.
  int64_t step_bytes(int64_t k_slice) const;
  /// Bytes from the tile's start to the element `mn` of the kept dimension, a multiple of `mn_granule` (64-row blocks
  /// of A are multiples of it for every layout).
  int64_t mn_step_bytes(int64_t mn) const;
  int64_t mn_granule = 8;

  /// The descriptor of a tile that starts at byte `address` of shared memory.
  uint64_t at(uint64_t address) const { return constant_bits | ((address >> 4) & 0x3fff); }

  // Where the steps come from.
  int64_t panel_bytes = 0, panel_stride = 0, element_bytes = 0;
};

/// Reads the descriptor of an operand off its layout. `k_dim` is the dimension that is summed over: the operand is
/// K-major when it is the unit dimension. Fails, naming what doesn't fit, for: rank other than 2; plain layouts wider
/// than a core matrix; mn not a multiple of 8; k not a multiple of one instruction's; MN-major elements that are not
/// 16 bits wide; offsets beyond 18 bits.
Outcome<DescriptorPlan> plan_descriptor(const SharedLayout &layout, int k_dim, MatrixUnit unit = MatrixUnit::wgmma);

} // namespace tegula::layout
