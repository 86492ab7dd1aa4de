// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference: dot products in float64 over lines that were converted once.
#include "kernels/gemm/check/gemm_reference.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>

#include <fmt/format.h>

#include "kernels/check/parallel.h"
#include "kernels/check/small_float.h"
#include "kernels/gemm/check/combination_check.h"

namespace tegula {
namespace {

constexpr double kAllBelow = 1.5e8;   // multiplications up to which every element is compared
constexpr int64_t kSampledLines = 52; // of rows and of columns: 2704 elements a product

double activate(Activation activation, double x) {
  switch (activation) {
  case Activation::none: return x;
  case Activation::relu: return std::isnan(x) ? x : std::max(x, 0.0);
  case Activation::gelu: return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
  case Activation::silu: return x / (1 + std::exp(-x));
  }
  return x;
}

// Rows (or columns) to compare: all, or the first and last few, some around the middle tile edges, and random ones.
std::vector<int64_t> sample(int64_t extent, int64_t most, Random &random) {
  std::vector<int64_t> lines;
  if (extent <= most) {
    lines.resize(static_cast<size_t>(extent));
    std::iota(lines.begin(), lines.end(), int64_t{0});
    return lines;
  }
  for (int64_t i : {int64_t{0}, int64_t{1}, int64_t{63}, int64_t{64}, int64_t{127}, int64_t{128}, int64_t{255},
                    extent / 128 * 128 - 1, extent / 128 * 128, extent - 2, extent - 1})
    lines.push_back(std::clamp<int64_t>(i, 0, extent - 1));
  while (static_cast<int64_t>(lines.size()) < most)
    lines.push_back(random.between(0, extent - 1));
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

// The chosen lines of A (rows) or B (columns), each k floats long.
std::vector<float> gather(const GuardedImage &image, bool columns, int64_t batch, const std::vector<int64_t> &lines,
                          int64_t k) {
  std::vector<float> values(lines.size() * static_cast<size_t>(k));
  parallel_for(static_cast<int64_t>(lines.size()), 1 + 4096 / std::max<int64_t>(k, 1), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      for (int64_t kk = 0; kk < k; ++kk)
        values[i * k + kk] =
            static_cast<float>(columns ? image.at(batch, kk, lines[i]) : image.at(batch, lines[i], kk));
  });
  return values;
}

struct Expected {
  double value, allowed;
};

Expected expect(const GemmCase &test, const GemmImages &images, int64_t batch, int64_t row, int64_t column,
                const float *a, const float *b) {
  double sum = 0, squares = 0;
  for (int64_t kk = 0; kk < test.k; ++kk) {
    const double product = static_cast<double>(a[kk]) * b[kk];
    sum += product;
    squares += product * product;
  }
  double value = test.alpha * sum, parts = std::abs(value);
  if (test.beta != 0) {
    const double term = test.beta * images.c.at(batch, row, column);
    value += term, parts += std::abs(term);
  }
  if (test.bias != BiasAxis::none) {
    const double term = images.bias.at(0, 0, test.bias == BiasAxis::row ? row : column);
    value += term, parts += std::abs(term);
  }
  double allowed = std::abs(test.alpha) * (8 + test.k / 16.0) * 0x1p-21 * std::sqrt(squares) + 4 * 0x1p-24 * parts;
  if (test.activation == Activation::gelu || test.activation == Activation::silu)
    allowed = 1.2 * allowed + 0x1p-20 * (std::abs(value) + 1);
  value = activate(test.activation, value);
  // Subnormal outputs of fp16 are spaced 2^-24.
  allowed += 1.01 * unit_roundoff(test.out) * std::abs(value) + (test.out == DType::fp16 ? 0x1p-24 : 0);
  return {value, allowed};
}

void compare_product(const GemmCase &test, const GemmImages &images, int64_t batch, const std::vector<int64_t> &rows,
                     const std::vector<int64_t> &columns, GemmVerdict &verdict) {
  const std::vector<float> a = gather(images.a, false, batch, rows, test.k);
  const std::vector<float> b = gather(images.b, true, batch, columns, test.k);
  std::mutex mutex;
  parallel_for(static_cast<int64_t>(rows.size()), 1, [&](int64_t begin, int64_t end) {
    double worst = 0;
    std::string fault;
    for (int64_t i = begin; i < end; ++i)
      for (size_t j = 0; j < columns.size(); ++j) {
        const Expected expected =
            expect(test, images, batch, rows[i], columns[j], a.data() + i * test.k, b.data() + j * test.k);
        const double got = images.d.at(batch, rows[i], columns[j]);
        const double error = std::abs(got - expected.value);
        if (!(error <= expected.allowed) && fault.empty())
          fault = fmt::format("D[{}{},{}] is {:.8g}, expected {:.8g} within {:.2g}",
                              test.batch > 1 ? fmt::format("{},", batch) : "", rows[i], columns[j], got, expected.value,
                              expected.allowed);
        worst = std::max(worst, error == 0 ? 0 : error / expected.allowed);
      }
    const std::lock_guard lock(mutex);
    verdict.worst = std::max(verdict.worst, worst);
    if (verdict.fault.empty())
      verdict.fault = fault;
  });
  verdict.checked += static_cast<int64_t>(rows.size() * columns.size());
}

} // namespace

GemmImages make_images(const GemmCase &test) {
  GemmShapes shapes = operand_shapes(test);
  if (test.beta == 0)
    shapes.c = {}; // not read
  GemmImages images{GuardedImage(shapes.a), GuardedImage(shapes.b), GuardedImage(shapes.c), GuardedImage(shapes.d),
                    GuardedImage(shapes.bias)};
  images.a.fill_values(NormalPattern(test.in, test.seed * 4));
  images.b.fill_values(NormalPattern(test.in, test.seed * 4 + 1));
  images.c.fill_values(NormalPattern(test.out, test.seed * 4 + 2));
  images.bias.fill_values(NormalPattern(test.out, test.seed * 4 + 3));
  images.d.poison();
  return images;
}

GemmVerdict verify_gemm(const GemmCase &test, const GemmImages &images) {
  GemmVerdict verdict;
  verdict.fault = images.d.damage();
  if (!verdict.passed() || test.m == 0 || test.n == 0 || test.batch == 0)
    return verdict;
  Random random(test.seed + 99);
  const bool all = static_cast<double>(test.m) * test.n * test.batch * std::max<int64_t>(test.k, 1) <= kAllBelow;
  const int64_t most = all ? std::max(test.m, test.n) : kSampledLines;
  for (int64_t batch : sample(test.batch, all ? test.batch : 12, random)) {
    const std::vector<int64_t> rows = sample(test.m, most, random), columns = sample(test.n, most, random);
    compare_product(test, images, batch, rows, columns, verdict);
    if (!all && verdict.passed())
      verdict.fault = check_combination(test, images, batch, random);
    if (!verdict.passed())
      break;
  }
  return verdict;
}

} // namespace tegula
