// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shapes of tiles, and the element types by their short names.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <source_location>
#include <string>
#include <vector>

#include "runtime/types/dtype.h"

namespace tegula::dsl {

/// f32, bf16, fp16, e4m3, s32, ...
using enum tegula::DType;

/// Extents of a tile, outermost first. Known when the kernel is built.
class Shape {
public:
  Shape() = default;
  Shape(std::initializer_list<int64_t> extents) : extents_(extents) {}
  explicit Shape(std::vector<int64_t> extents) : extents_(std::move(extents)) {}

  [[nodiscard]] size_t rank() const { return extents_.size(); }
  [[nodiscard]] int64_t operator[](size_t dim) const { return extents_[dim]; }
  [[nodiscard]] const std::vector<int64_t> &extents() const { return extents_; }
  [[nodiscard]] int64_t elements() const {
    int64_t product = 1;
    for (int64_t extent : extents_)
      product *= extent;
    return product;
  }
  /// "128x64".
  [[nodiscard]] std::string text() const;

  bool operator==(const Shape &) const = default;

private:
  std::vector<int64_t> extents_;
};

/// Where in the user's sources a call stands; every call of the DSL takes one, last, and nobody gives it by hand.
using Where = std::source_location;

} // namespace tegula::dsl
