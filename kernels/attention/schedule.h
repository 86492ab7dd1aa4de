// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schedules of attention: how a problem is run, apart from what it computes.
#pragma once

#include <string>
#include <string_view>

#include "kernels/attention/problem.h"

namespace tegula {

struct AttentionSchedule {
#define TEGULA_ATTENTION_FIELD(field, text, initial, least, most, help) int field = initial;
#include "kernels/attention/schedule.def"
#undef TEGULA_ATTENTION_FIELD

  bool operator==(const AttentionSchedule &) const = default;
};

/// Every field as "name=value".
[[nodiscard]] std::string to_string(const AttentionSchedule &schedule);

/// The schedule that was measured best for a problem, or the nearest one.
[[nodiscard]] AttentionSchedule choose_schedule(const AttentionProblem &problem);

} // namespace tegula
