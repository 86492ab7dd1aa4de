// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Uploads, launches, downloads, compares.
#include "kernels/examples/check/example_run.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include <fmt/format.h>

#include "kernels/check/parallel.h"
#include "kernels/check/small_float.h"

namespace tegula {

ExampleRun::Tensor &ExampleRun::add(std::string_view name, DType dtype, std::initializer_list<int64_t> extents) {
  const std::vector<int64_t> sizes(extents);
  const int64_t rows = sizes.size() == 2 ? sizes[0] : 1, columns = sizes.back();
  const StridedShape shape{.dtype = dtype, .extents = {1, rows, columns}, .strides = {0, columns, 1}};
  return tensors_.emplace_back(Tensor{name, GuardedImage(shape), sizes});
}

const GuardedImage &ExampleRun::input(std::string_view name, DType dtype, std::initializer_list<int64_t> extents) {
  Tensor &tensor = add(name, dtype, extents);
  tensor.image.fill_values(NormalPattern(dtype, seed_ * 16 + tensors_.size()));
  return tensor.image;
}

const GuardedImage &ExampleRun::output(std::string_view name, DType dtype, std::initializer_list<int64_t> extents,
                                       bool read_too) {
  Tensor &tensor = add(name, dtype, extents);
  tensor.image.poison();
  if (read_too)
    tensor.image.fill_elements(NormalPattern(dtype, seed_ * 16 + tensors_.size()));
  output_ = tensors_.size() - 1;
  return tensor.image;
}

void ExampleRun::compare(const GuardedImage &got, const std::function<ExpectedValue(int64_t, int64_t)> &expected,
                         CheckReport &report) const {
  const auto [batch, rows, columns] = got.shape().extents;
  const double rounding = unit_roundoff(got.shape().dtype);
  const double least = got.shape().dtype == DType::fp16 ? 0x1p-25 : 1e-30; // half the distance of fp16's subnormals
  std::mutex mutex;
  parallel_for(rows, std::max<int64_t>(1, 1024 / std::max<int64_t>(columns, 1)),
               [&, columns = columns](int64_t begin, int64_t end) {
                 double worst = 0;
                 std::string fault;
                 for (int64_t i = begin; i < end; ++i)
                   for (int64_t j = 0; j < columns; ++j) {
                     const ExpectedValue want = expected(i, j);
                     const double value = got.at(0, i, j), error = std::abs(value - want.value);
                     const double allowed = want.allowed + 1.01 * rounding * std::abs(want.value) + least;
                     worst = std::max(worst, error / allowed);
                     if (!(error <= allowed) && fault.empty())
                       fault = fmt::format("element [{},{}] is {:.8g}, expected {:.8g} within {:.2g}", i, j, value,
                                           want.value, allowed);
                   }
                 const std::lock_guard lock(mutex);
                 report.worst = std::max(report.worst, worst);
                 if (report.fault.empty())
                   report.fault = fault;
               });
  report.checked = rows * columns;
}

Result<CheckReport> ExampleRun::check(const std::function<ExpectedValue(int64_t, int64_t)> &expected) {
  TEGULA_TRY(const Kernel kernel, session_.jit.load(session_.context, source_));
  for (Tensor &tensor : tensors_) {
    TEGULA_TRY(tensor.device, DeviceImage::upload(session_.context, tensor.image));
    const DType dtype = tensor.image.shape().dtype;
    if (tensor.extents.size() == 2)
      arguments_.global(tensor.name, tensor.device->address(), dtype, {tensor.extents[0], tensor.extents[1]});
    else
      arguments_.global(tensor.name, tensor.device->address(), dtype, {tensor.extents[0]});
  }
  TEGULA_CHECK(kernel.launch(arguments_, {.stream = session_.stream}));
  TEGULA_CHECK(session_.stream.synchronize());
  GuardedImage got = tensors_[output_].image;
  TEGULA_CHECK(tensors_[output_].device->download(got));
  CheckReport report{.input = {}, .path = source_.schedule, .fault = got.damage()};
  if (report.passed())
    compare(got, expected, report);
  return report;
}

} // namespace tegula
