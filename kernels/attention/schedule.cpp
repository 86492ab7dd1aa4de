// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of schedules, and which one a problem gets.
#include "kernels/attention/schedule.h"

#include <fmt/format.h>

namespace tegula {

std::string to_string(const AttentionSchedule &schedule) {
  std::string text;
#define TEGULA_ATTENTION_FIELD(field, name, initial, least, most, help)                                                \
  text += fmt::format("{}{}={}", text.empty() ? "" : " ", #name, schedule.field);
#include "kernels/attention/schedule.def"
#undef TEGULA_ATTENTION_FIELD
  return text;
}

} // namespace tegula
