// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Edit distance over short names.
#include "kernels/naming/near_miss.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include <fmt/format.h>

namespace tegula {
namespace {

size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replace = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replace, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

} // namespace

std::string near_miss(std::string_view given, std::span<const std::string_view> known) {
  std::string_view best;
  size_t least = ~size_t{0};
  for (std::string_view candidate : known)
    if (const size_t edits = edits_between(given, candidate); edits < least) {
      least = edits;
      best = candidate;
    }
  if (best.empty() || least > std::max<size_t>(1, best.size() / 3))
    return "";
  return fmt::format("; did you mean '{}'?", best);
}

} // namespace tegula
