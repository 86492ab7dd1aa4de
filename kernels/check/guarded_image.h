// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host's copy of a strided array in device memory, with guard bytes around it and in every gap between its rows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/check/values.h"
#include "runtime/types/dtype.h"

namespace tegula {

/// Extents and strides in elements, outermost first, of up to three axes: batch, rows, columns.
struct StridedShape {
  DType dtype = DType::f32;
  std::array<int64_t, 3> extents = {1, 1, 1};
  std::array<int64_t, 3> strides = {0, 0, 1};
  int64_t shift = 0; ///< elements by which the first one is off a 256-byte boundary

  [[nodiscard]] int64_t index(int64_t batch, int64_t row, int64_t column) const {
    return batch * strides[0] + row * strides[1] + column * strides[2];
  }
  /// Elements from the first to one past the last.
  [[nodiscard]] int64_t span() const;
};

class GuardedImage {
public:
  static constexpr int64_t kGuard = 4096; ///< bytes before and after, at least

  /// An image whose every byte is guard. An input's guards read as NaN: to use one shows.
  explicit GuardedImage(const StridedShape &shape);

  /// Fills the elements from `pattern`; what lies between them becomes NaN, and so does all of the guard.
  void fill_values(const NormalPattern &pattern);
  /// Fills the elements alone; the guard stays.
  void fill_elements(const NormalPattern &pattern);
  /// Poisons the elements with NaN; what lies between them and around keeps its pattern, which intact() looks for.
  void poison();

  [[nodiscard]] std::vector<std::byte> &bytes() { return bytes_; }
  [[nodiscard]] const std::vector<std::byte> &bytes() const { return bytes_; }
  /// Where the first element lies in bytes().
  [[nodiscard]] int64_t origin() const { return origin_; }
  [[nodiscard]] const StridedShape &shape() const { return shape_; }
  [[nodiscard]] const std::byte *data() const { return bytes_.data() + origin_; }
  [[nodiscard]] double at(int64_t batch, int64_t row, int64_t column) const;

  /// "" if no byte outside the elements changed since poison(), else which one and how.
  [[nodiscard]] std::string damage() const;

private:
  template <typename Body> void for_each_run(Body body) const;

  StridedShape shape_;
  int64_t origin_ = 0;
  std::vector<std::byte> bytes_;
};

} // namespace tegula
