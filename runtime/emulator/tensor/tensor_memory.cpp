// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cells, and which of them exist.
#include "runtime/emulator/tensor/tensor_memory.h"

#include <algorithm>

namespace tegula::emulator {

void TensorMemory::mark_written(const TensorRange &r) {
  for (unsigned l = r.lane; l < r.lane + r.lanes; ++l)
    for (unsigned c = r.column; c < r.column + r.columns; ++c)
      mark_written(l, c);
}

bool TensorMemory::first_unwritten(const TensorRange &r, TensorAddress &where) const {
  for (unsigned l = r.lane; l < r.lane + r.lanes; ++l)
    for (unsigned c = r.column; c < r.column + r.columns; ++c)
      if (!written(l, c)) {
        where = {l, c};
        return true;
      }
  return false;
}

void TensorMemory::allocate(unsigned first, unsigned columns) {
  for (unsigned c = first; c < first + columns; ++c)
    allocated_[c] = true;
  for (unsigned l = 0; l < kTensorLanes; ++l)
    for (unsigned c = first; c < first + columns; ++c) {
      lane(l)[c] = kTensorPoison;
      written_[l * kTensorColumns + c] = false;
    }
}

void TensorMemory::release(unsigned first, unsigned columns) {
  for (unsigned c = first; c < first + columns; ++c)
    allocated_[c] = false;
}

std::string TensorMemory::describe() const {
  std::string text;
  for (unsigned c = 0; c < kTensorColumns; ++c) {
    if (!allocated_[c])
      continue;
    unsigned end = c;
    while (end < kTensorColumns && allocated_[end])
      ++end;
    text += (text.empty() ? "columns " : ", ") + std::to_string(c) + " to " + std::to_string(end - 1);
    c = end;
  }
  return text.empty() ? "none" : text;
}

} // namespace tegula::emulator
