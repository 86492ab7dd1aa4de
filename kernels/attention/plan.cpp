// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packs queries, and weighs how many parts the keys are cut into.
#include "kernels/attention/plan.h"

#include <algorithm>

#include <fmt/format.h>

namespace tegula {
namespace {

constexpr int64_t kFewQueries = 16; // up to which a tile holds those of several heads

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Rows of all heads of a group as one dim: they follow one another at one stride, or there is but one query or head.
bool rows_merge(const AttentionTensor &t, int64_t group, int64_t queries) {
  return group == 1 || queries == 1 || t.head_stride == queries * t.row_stride;
}

AttentionTensor merged(AttentionTensor t, int64_t group, int64_t queries) {
  if (queries == 1)
    t.row_stride = t.head_stride;
  t.head_stride *= group;
  return t;
}

bool packs(const AttentionArgs &args) {
  const int64_t group = args.heads / args.heads_kv;
  return args.seq_q <= kFewQueries && args.modifier.name.empty() && rows_merge(args.q, group, args.seq_q) &&
         rows_merge(args.o, group, args.seq_q);
}

// Time in blocks of keys that one multiprocessor reads: whole rounds of parts, each with a start that nothing hides, and
// the second kernel. Fitted to an H200.
double cost(int64_t tiles, int64_t blocks, int64_t splits, int sms) {
  const int64_t span = ceil_div(blocks, splits);
  const double start = 2, combine = splits > 1 ? 3 + 0.05 * static_cast<double>(splits) : 0;
  return static_cast<double>(ceil_div(tiles * splits, sms)) * (static_cast<double>(span) + start) + combine;
}

int64_t choose_splits(int64_t tiles, int64_t blocks, int sms) {
  int64_t best = 1;
  for (int64_t splits = 2; splits <= std::min(blocks, kMostParts); ++splits)
    if (cost(tiles, blocks, splits, sms) < cost(tiles, blocks, best, sms))
      best = splits;
  return best;
}

} // namespace

AttentionPlan make_plan(const AttentionArgs &args, const AttentionMachine &machine, const AttentionSchedule *forced) {
  AttentionPlan plan{.problem = problem_of(args), .args = args, .queries = args.seq_q};
  const int64_t group = args.heads / args.heads_kv;
  if (packs(args)) {
    plan.problem.packed = true;
    plan.args.heads = args.heads_kv;
    plan.args.seq_q = group * args.seq_q;
    plan.args.q = merged(args.q, group, args.seq_q);
    plan.args.o = merged(args.o, group, args.seq_q);
  }
  plan.schedule = forced ? *forced : choose_schedule(plan.problem, plan.args.seq_q, machine.shared_limit);
  if (!plan.problem.packed)
    return plan;
  const int64_t blocks = ceil_div(args.seq_kv, plan.schedule.n);
  const int64_t tiles =
      args.batch * args.heads_kv * ceil_div(plan.args.seq_q, kQueriesOfWarpgroup * plan.schedule.math);
  const int64_t splits = plan.schedule.splits > 0 ? plan.schedule.splits : choose_splits(tiles, blocks, machine.sms);
  plan.span = ceil_div(blocks, splits);
  plan.splits = ceil_div(blocks, plan.span);
  if (plan.splits > 1) {
    const int64_t rows = plan.splits * args.batch * args.heads_kv * plan.args.seq_q;
    plan.problem.partial = plan.problem.lse = true;
    plan.lse_offset = ceil_div(rows * args.head_dim_v * 4, 256) * 256;
    plan.workspace_bytes = plan.lse_offset + rows * 4;
  }
  return plan;
}

std::string describe(const AttentionPlan &plan) {
  std::string parts =
      plan.splits > 1 ? fmt::format(", keys in {} parts of {}", plan.splits, plan.span * plan.schedule.n) : "";
  return fmt::format("attention {}, {} queries a tile{}: {}", to_string(plan.problem),
                     kQueriesOfWarpgroup * plan.schedule.math, parts, to_string(plan.schedule));
}

std::string explain_call(const AttentionArgs &args, const AttentionMachine &machine, const AttentionSchedule *forced) {
  if (is_empty(args))
    return "no queries: nothing to do";
  return args.seq_kv == 0 ? "no keys: zeros" : describe(make_plan(args, machine, forced));
}

} // namespace tegula
