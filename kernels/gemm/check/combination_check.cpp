// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of matrices with vectors of signs, along whichever direction their memory runs.
#include "kernels/gemm/check/combination_check.h"

#include <atomic>
#include <cmath>
#include <mutex>

#include <fmt/format.h>

#include "kernels/check/parallel.h"
#include "kernels/check/small_float.h"

namespace tegula {
namespace {

struct RowSums {
  std::vector<double> sum;     // a row: sum over columns of value · x
  std::vector<double> squares; // and of (value · x)²
};

template <DType dtype>
void add_rows(const GuardedImage &image, int64_t batch, const std::vector<double> &x, RowSums &out) {
  const StridedShape &shape = image.shape();
  const int64_t rows = shape.extents[1], columns = shape.extents[2];
  const auto *base = image.data();
  const auto value = [&](int64_t row, int64_t column) -> double {
    const int64_t index = shape.index(batch, row, column);
    if constexpr (dtype == DType::bf16)
      return bf16_to_float(reinterpret_cast<const uint16_t *>(base)[index]);
    else if constexpr (dtype == DType::fp16)
      return fp16_to_float(reinterpret_cast<const uint16_t *>(base)[index]);
    else
      return reinterpret_cast<const float *>(base)[index];
  };
  // Blocks of rows; within one, columns outside where memory runs along them.
  const bool along_rows = shape.strides[1] == 1 && shape.strides[2] != 1;
  parallel_for(rows, 64, [&](int64_t begin, int64_t end) {
    const auto add = [&](int64_t i, int64_t j) {
      const double term = value(i, j) * x[j];
      out.sum[i] += term;
      out.squares[i] += term * term;
    };
    if (along_rows)
      for (int64_t j = 0; j < columns; ++j)
        for (int64_t i = begin; i < end; ++i)
          add(i, j);
    else
      for (int64_t i = begin; i < end; ++i)
        for (int64_t j = 0; j < columns; ++j)
          add(i, j);
  });
}

RowSums multiply(const GuardedImage &image, int64_t batch, const std::vector<double> &x) {
  const auto rows = static_cast<size_t>(image.shape().extents[1]);
  RowSums out{std::vector<double>(rows), std::vector<double>(rows)};
  switch (image.shape().dtype) {
  case DType::bf16: add_rows<DType::bf16>(image, batch, x, out); break;
  case DType::fp16: add_rows<DType::fp16>(image, batch, x, out); break;
  default: add_rows<DType::f32>(image, batch, x, out); break;
  }
  return out;
}

double bias_term(const GemmCase &test, const GemmImages &images, int64_t row, const std::vector<double> &x) {
  double term = 0;
  if (test.bias != BiasAxis::none)
    for (size_t j = 0; j < x.size(); ++j)
      term += x[j] * images.bias.at(0, 0, test.bias == BiasAxis::row ? row : static_cast<int64_t>(j));
  return term;
}

} // namespace

std::string check_combination(const GemmCase &test, const GemmImages &images, int64_t batch, Random &random) {
  std::vector<double> x(static_cast<size_t>(test.n));
  for (double &sign : x)
    sign = random.chance(0.5) ? 1 : -1;
  const RowSums d = multiply(images.d, batch, x);
  RowSums ab{std::vector<double>(test.m), {}}, c = ab;
  const bool linear = test.activation == Activation::none;
  if (linear && test.k > 0)
    ab = multiply(images.a, batch, multiply(images.b, batch, x).sum);
  if (linear && test.beta != 0)
    c = multiply(images.c, batch, x);
  const double column_bias = test.bias == BiasAxis::column ? bias_term(test, images, 0, x) : 0;
  for (int64_t i = 0; i < test.m; ++i) {
    if (std::isnan(d.sum[i]))
      return fmt::format("row {} of D holds elements that are NaN: they were never written", i);
    if (!linear)
      continue;
    const double bias = test.bias == BiasAxis::row ? bias_term(test, images, i, x) : column_bias;
    const double expected = test.alpha * ab.sum[i] + test.beta * c.sum[i] + bias;
    // Independent roundings add up as a random walk: six standard deviations; and the f32 sums' errors as in
    // verify_gemm.
    const double sums = std::abs(test.alpha) * (8 + test.k / 16.0) * 0x1p-21 * std::sqrt(double(test.k) * test.n);
    const double allowed = 6 * (unit_roundoff(test.out) * std::sqrt(d.squares[i]) + sums) + 1e-3;
    if (!(std::abs(d.sum[i] - expected) <= allowed))
      return fmt::format("row {} of D, combined with random signs, gives {:.8g}; expected {:.8g} within {:.2g}", i,
                         d.sum[i], expected, allowed);
  }
  return "";
}

} // namespace tegula
