// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When the queries of several heads share a tile, and into how many parts the keys are cut.
#include <catch2/catch.hpp>

#include "kernels/attention/plan.h"

using namespace tegula;

namespace {

AttentionArgs decode(int64_t batch, int64_t seq_kv, int64_t seq_q = 1) {
  AttentionArgs args{.batch = batch, .heads = 32, .heads_kv = 8, .seq_q = seq_q, .seq_kv = seq_kv};
  args.q = bhsd(0x1000, 32, seq_q, 128), args.k = args.v = bhsd(0x2000, 8, seq_kv, 128);
  args.o = bhsd(0x3000, 32, seq_q, 128);
  return args;
}

} // namespace

TEST_CASE("one query: the heads that share keys are rows of one tile") {
  const AttentionPlan plan = make_plan(decode(1, 8192));
  CHECK(plan.problem.packed);
  CHECK(plan.args.heads == 8);
  CHECK(plan.args.seq_q == 4);
  CHECK(plan.args.q.row_stride == 128);
  CHECK(plan.args.q.head_stride == 4 * 128);
}

TEST_CASE("parts cover all keys and none is empty") {
  for (int64_t keys : {1, 128, 129, 700, 8192, 131072}) {
    const AttentionPlan plan = make_plan(decode(1, keys));
    INFO(keys);
    CHECK(plan.splits * plan.span * plan.schedule.n >= keys);
    CHECK((plan.splits - 1) * plan.span * plan.schedule.n < keys);
  }
}

TEST_CASE("one long sequence keeps all multiprocessors busy, many short ones need no parts") {
  CHECK(make_plan(decode(1, 131072)).splits * 8 > 100);
  CHECK(make_plan(decode(128, 2048)).splits == 1);
  CHECK(make_plan(decode(128, 2048)).workspace_bytes == 0);
}

TEST_CASE("queries whose rows do not follow one another, and modified scores, are not packed") {
  AttentionArgs args = decode(1, 8192, 4);
  CHECK(make_plan(args).problem.packed);
  args.q = bshd(0x1000, 32, 4, 128);
  CHECK_FALSE(make_plan(args).problem.packed);
  args = decode(1, 8192);
  args.modifier.name = "softcap";
  CHECK_FALSE(make_plan(args).problem.packed);
  CHECK_FALSE(make_plan(decode(1, 8192, 17)).problem.packed);
}

TEST_CASE("a schedule's own number of parts goes before the cost's") {
  const AttentionSchedule schedule{.n = 64, .math = 1, .stages = 3, .splits = 16};
  const AttentionPlan plan = make_plan(decode(1, 8192), {}, &schedule);
  CHECK(plan.splits == 16);
  CHECK(plan.span == 8);
}

TEST_CASE("the tile that adds the parts holds all of them, a warp for eight") {
  CHECK(choose_combine(2) == CombineSchedule{.parts = 8, .warps = 1});
  CHECK(choose_combine(16) == CombineSchedule{.parts = 16, .warps = 2});
  CHECK(choose_combine(17) == CombineSchedule{.parts = 32, .warps = 4});
  CHECK(choose_combine(kMostParts) == CombineSchedule{.parts = 128, .warps = 8});
}
