// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tensor memory of one CTA: 128 lanes by 512 columns of 32 bits, what is allocated, and what has been written.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

namespace tegula::emulator {

inline constexpr unsigned kTensorLanes = 128, kTensorColumns = 512;
inline constexpr uint32_t kTensorPoison = 0xffffdead; // a NaN: what a cell holds that nobody has written

/// Lane in the upper half, column in the lower (PTX ISA 9.0, "Tensor Memory Addressing").
struct TensorAddress {
  unsigned lane = 0, column = 0;
  static TensorAddress of(uint32_t bits) { return {bits >> 16, bits & 0xffff}; }
};

/// Cells that one access touches.
struct TensorRange {
  unsigned lane = 0, lanes = 0, column = 0, columns = 0;
};

class TensorMemory {
public:
  TensorMemory() : cells_(kTensorLanes * kTensorColumns, kTensorPoison) {}

  /// The cells of a lane, by column.
  [[nodiscard]] uint32_t *lane(unsigned l) { return cells_.data() + size_t{l} * kTensorColumns; }
  [[nodiscard]] bool written(unsigned l, unsigned column) const { return written_[l * kTensorColumns + column]; }
  void mark_written(unsigned l, unsigned column) { written_[l * kTensorColumns + column] = true; }
  void mark_written(const TensorRange &r);
  void write(unsigned l, unsigned column, uint32_t value) {
    lane(l)[column] = value;
    mark_written(l, column);
  }
  /// The first cell of the range that nobody has written; false if there is none.
  bool first_unwritten(const TensorRange &r, TensorAddress &where) const;

  void allocate(unsigned first, unsigned columns); // forgets what was written
  void release(unsigned first, unsigned columns);
  [[nodiscard]] bool allocated(unsigned column) const { return column < kTensorColumns && allocated_[column]; }
  /// "columns 0 to 31, 64 to 127", or "none".
  [[nodiscard]] std::string describe() const;

private:
  std::vector<uint32_t> cells_;
  std::bitset<kTensorLanes * kTensorColumns> written_;
  std::bitset<kTensorColumns> allocated_;
};

} // namespace tegula::emulator
