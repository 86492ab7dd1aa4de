// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs one example kernel on random tensors and compares its output, element by element, with a formula.
#pragma once

#include <deque>
#include <functional>
#include <optional>

#include "kernels/check/device_image.h"
#include "kernels/registry/registry.h"

namespace tegula {

struct ExpectedValue {
  double value = 0, allowed = 0; ///< `allowed` besides the rounding of the output's type
};

class ExampleRun {
public:
  ExampleRun(Session &session, KernelSource source, uint64_t seed)
      : session_(session), source_(std::move(source)), seed_(seed) {}

  /// Dense tensors of one or two dims. The references hold as long as this object; values of inputs are known at once.
  const GuardedImage &input(std::string_view name, DType dtype, std::initializer_list<int64_t> extents);
  /// What the kernel writes, poisoned first; `read_too`: it is an input as well.
  const GuardedImage &output(std::string_view name, DType dtype, std::initializer_list<int64_t> extents,
                             bool read_too = false);
  void scalar(std::string_view name, float value) { arguments_.scalar(name, value); }

  [[nodiscard]] Result<CheckReport> check(const std::function<ExpectedValue(int64_t row, int64_t column)> &expected);

private:
  struct Tensor {
    std::string_view name;
    GuardedImage image;
    std::vector<int64_t> extents;
    std::optional<DeviceImage> device = {};
  };
  Tensor &add(std::string_view name, DType dtype, std::initializer_list<int64_t> extents);
  void compare(const GuardedImage &got, const std::function<ExpectedValue(int64_t, int64_t)> &expected,
               CheckReport &report) const;

  Session &session_;
  KernelSource source_;
  uint64_t seed_;
  std::deque<Tensor> tensors_; // references to images stay valid
  size_t output_ = 0;
  ArgumentList arguments_;
};

} // namespace tegula
