// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of attention in float64, and beside them as a plain program in the dtype computes them.
#include "kernels/attention/check/attention_reference.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include <fmt/format.h>

#include "kernels/check/parallel.h"
#include "kernels/check/small_float.h"

namespace tegula {
namespace {

constexpr double kMultiplications = 4e8; // up to which every row is compared
constexpr double kLseError = 1e-3;

// A row of one head.
struct Place {
  int64_t batch, head, row;
};

class Rows {
public:
  Rows(const AttentionCase &test, const AttentionImages &images) : t_(test), images_(images) {}

  [[nodiscard]] int64_t count() const { return t_.batch * t_.heads_q * t_.seq_q; }
  [[nodiscard]] Place place(int64_t number) const {
    return {number / t_.seq_q / t_.heads_q, number / t_.seq_q % t_.heads_q, number % t_.seq_q};
  }
  [[nodiscard]] double at(const GuardedImage &image, int64_t heads, int64_t columns, const Place &p, int64_t c) const {
    return t_.heads_inside ? image.at(p.batch, p.row, p.head * columns + c)
                           : image.at(p.batch * heads + p.head, p.row, c);
  }

  struct Row {
    std::vector<double> exact, plain;
    double lse = -INFINITY;
  };
  [[nodiscard]] Row compute(const Place &p) const;
  [[nodiscard]] double output(const Place &p, int64_t c) const {
    return at(images_.o, t_.heads_q, t_.value_dim(), p, c);
  }
  [[nodiscard]] double lse(const Place &p) const { return images_.lse.at(p.batch, p.head, p.row); }

private:
  [[nodiscard]] double round(double value) const {
    const auto single = static_cast<float>(value);
    return t_.dtype == DType::bf16 ? bf16_to_float(float_to_bf16(single)) : fp16_to_float(float_to_fp16(single));
  }

  const AttentionCase &t_;
  const AttentionImages &images_;
};

Rows::Row Rows::compute(const Place &p) const {
  const int64_t dv = t_.value_dim(), center = p.row + t_.seq_kv - t_.seq_q;
  int64_t first = 0, last = t_.seq_kv - 1;
  if (t_.causal || (t_.windowed && t_.window_right >= 0))
    last = std::min(last, center + (t_.causal ? 0 : t_.window_right));
  if (t_.windowed && t_.window_left >= 0)
    first = std::max<int64_t>(first, center - t_.window_left);
  Row row{std::vector<double>(static_cast<size_t>(dv)), std::vector<double>(static_cast<size_t>(dv))};
  if (first > last)
    return row;
  const double scale = t_.scale != 0 ? t_.scale : 1 / std::sqrt(static_cast<double>(t_.head_dim));
  const int64_t kv_head = p.head / (t_.heads_q / t_.heads_kv);
  std::vector<double> scores;
  double top = -INFINITY;
  for (int64_t key = first; key <= last; ++key) {
    double sum = 0;
    for (int64_t c = 0; c < t_.head_dim; ++c)
      sum += at(images_.q, t_.heads_q, t_.head_dim, p, c) *
             at(images_.k, t_.heads_kv, t_.head_dim, {p.batch, kv_head, key}, c);
    scores.push_back(modified(t_.modifier, sum * scale, p.head, p.row, key));
    top = std::max(top, scores.back());
  }
  double total = 0;
  for (int64_t key = first; key <= last; ++key) {
    const double weight = std::exp(scores[static_cast<size_t>(key - first)] - top), rounded = round(weight);
    total += weight;
    for (int64_t c = 0; c < dv; ++c) {
      const double value = at(images_.v, t_.heads_kv, dv, {p.batch, kv_head, key}, c);
      row.exact[static_cast<size_t>(c)] += weight * value;
      row.plain[static_cast<size_t>(c)] += rounded * value;
    }
  }
  for (int64_t c = 0; c < dv; ++c) {
    row.exact[static_cast<size_t>(c)] /= total;
    row.plain[static_cast<size_t>(c)] = round(row.plain[static_cast<size_t>(c)] / total);
  }
  row.lse = top + std::log(total);
  return row;
}

// Numbers of the rows to compare: all, or the first and last ones and some between.
std::vector<int64_t> sample(const AttentionCase &test, int64_t rows) {
  const double work = static_cast<double>(test.seq_kv) * static_cast<double>(test.head_dim + test.value_dim());
  const auto most = static_cast<int64_t>(std::max(64.0, kMultiplications / std::max(work, 1.0)));
  std::vector<int64_t> numbers;
  Random random(test.seed);
  for (int64_t i = 0; i < std::min(rows, most); ++i)
    numbers.push_back(rows <= most ? i : i == 0 ? 0 : i == 1 ? rows - 1 : random.between(0, rows - 1));
  return numbers;
}

} // namespace

AttentionImages make_images(const AttentionCase &test) {
  const auto input = [&](int64_t heads, int64_t rows, int64_t columns, uint64_t salt) {
    GuardedImage image(shape_of(test, heads, rows, columns));
    image.fill_values(NormalPattern(test.dtype, test.seed * 16 + salt));
    return image;
  };
  AttentionImages images{input(test.heads_q, test.seq_q, test.head_dim, 1),
                         input(test.heads_kv, test.seq_kv, test.head_dim, 2),
                         input(test.heads_kv, test.seq_kv, test.value_dim(), 3),
                         GuardedImage(shape_of(test, test.heads_q, test.seq_q, test.value_dim())),
                         GuardedImage({.dtype = DType::f32,
                                       .extents = {test.batch, test.heads_q, test.seq_q},
                                       .strides = {test.heads_q * test.seq_q, test.seq_q, 1}})};
  images.o.poison();
  images.lse.poison();
  return images;
}

AttentionVerdict verify_attention(const AttentionCase &test, const AttentionImages &images) {
  const Rows rows(test, images);
  const std::vector<int64_t> numbers = sample(test, rows.count());
  std::vector<Rows::Row> computed(numbers.size());
  parallel_for(static_cast<int64_t>(numbers.size()), 8, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      computed[static_cast<size_t>(i)] = rows.compute(rows.place(numbers[static_cast<size_t>(i)]));
  });
  double plain = 0;
  for (const Rows::Row &row : computed)
    for (size_t c = 0; c < row.exact.size(); ++c)
      plain = std::max(plain, std::abs(row.plain[c] - row.exact[c]));
  const double allowed = 2 * plain + 1e-6;

  AttentionVerdict verdict;
  const auto compare = [&](std::string_view what, const Place &p, int64_t c, double got, double want, double most) {
    const double error = got == want ? 0 : std::abs(got - want);
    verdict.worst = std::max(verdict.worst, std::isnan(error) ? INFINITY : error / most);
    ++verdict.checked;
    if (!(error <= most) && verdict.fault.empty())
      verdict.fault = fmt::format("{} [{},{},{},{}] is {:.8g}, expected {:.8g} within {:.2g}", what, p.batch, p.head,
                                  p.row, c, got, want, most);
  };
  for (size_t i = 0; i < numbers.size(); ++i) {
    const Place p = rows.place(numbers[i]);
    for (int64_t c = 0; c < test.value_dim(); ++c)
      compare("O", p, c, rows.output(p, c), computed[i].exact[static_cast<size_t>(c)], allowed);
    if (test.lse)
      compare("LSE", p, 0, rows.lse(p), computed[i].lse, kLseError);
  }
  for (const auto &[what, image] : {std::pair{"O", &images.o}, {"LSE", &images.lse}})
    if (const std::string damage = image->damage(); verdict.fault.empty() && !damage.empty())
      verdict.fault = fmt::format("around {}, {}", what, damage);
  return verdict;
}

} // namespace tegula
