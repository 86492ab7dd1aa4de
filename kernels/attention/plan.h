// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a call is run: as it is; or, for a few queries, with those of all heads that share keys as the rows of one tile, and
// the keys in parts that a second kernel combines. Knows no device: attention.cpp launches.
#pragma once

#include <optional>
#include <string>

#include "kernels/attention/call.h"
#include "kernels/attention/schedule.h"

namespace tegula {

struct AttentionMachine {
  int sms = 132;
  int64_t shared_limit = 232448;
};

struct AttentionPlan {
  AttentionProblem problem = {};
  AttentionSchedule schedule = {};
  AttentionArgs args = {}; ///< as the kernels see them: packed, heads are those of K, seq_q their rows
  int64_t queries = 0;     ///< of each head
  int64_t splits = 1;      ///< parts of the keys
  int64_t span = 0;        ///< blocks of keys a part
  int64_t lse_offset = 0;  ///< bytes into the workspace at which the parts' LSE begin, behind their sums
  int64_t workspace_bytes = 0;
};

/// \param args  valid ones, with keys.
[[nodiscard]] AttentionPlan make_plan(const AttentionArgs &args, const AttentionMachine &machine = {},
                                      const AttentionSchedule *forced = nullptr);

/// Path and schedule, in one line.
[[nodiscard]] std::string describe(const AttentionPlan &plan);
/// The same of any valid call, also one that has no plan.
[[nodiscard]] std::string explain_call(const AttentionArgs &args, const AttentionMachine &machine = {},
                                       const AttentionSchedule *forced = nullptr);

} // namespace tegula
