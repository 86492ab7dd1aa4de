// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The owning list of arguments.
#include "runtime/launch/arguments.h"

#include <algorithm>

namespace tegula {

ArgumentList &ArgumentList::global(std::string_view name, DevicePtr base, DType dtype,
                                   std::initializer_list<int64_t> extents, std::initializer_list<int64_t> strides) {
  Shape shape;
  shape.extent_count = std::min(extents.size(), shape.extents.size());
  shape.stride_count = std::min(strides.size(), shape.strides.size());
  std::copy_n(extents.begin(), shape.extent_count, shape.extents.begin());
  std::copy_n(strides.begin(), shape.stride_count, shape.strides.begin());
  shapes_.push_back(shape);
  globals_.push_back({.name = name, .base = base, .dtype = dtype, .strides = {}, .extents = {}});
  return *this;
}

ArgumentList &ArgumentList::dim(std::string_view name, int64_t value) {
  dims_.push_back({name, value});
  return *this;
}

ArgumentList &ArgumentList::scalar(std::string_view name, Scalar value) {
  scalars_.push_back({name, value});
  return *this;
}

ArgumentList::operator KernelArgs() const {
  // Only here, because the vector of shapes moves them while it grows.
  for (size_t i = 0; i < shapes_.size(); ++i) {
    globals_[i].extents = std::span(shapes_[i].extents).first(shapes_[i].extent_count);
    globals_[i].strides = std::span(shapes_[i].strides).first(shapes_[i].stride_count);
  }
  return {globals_, dims_, scalars_};
}

} // namespace tegula
