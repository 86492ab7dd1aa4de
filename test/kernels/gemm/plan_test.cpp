// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans: which kernels run and what workspace lies between them.
#include <catch2/catch.hpp>

#include "kernels/gemm/plan.h"

using namespace tegula;

TEST_CASE("shape-08 an empty product runs nothing") {
  const GemmPlan plan = make_plan({}, {.m = 0, .n = 64, .k = 64});
  CHECK_FALSE(plan.multiplies());
  CHECK_FALSE(plan.reduces());
  CHECK(plan.workspace_bytes == 0);
}

TEST_CASE("K = 0 runs the epilogue alone") {
  const GemmPlan plan = make_plan({}, {.m = 64, .n = 64, .k = 0});
  CHECK_FALSE(plan.multiplies());
  CHECK(plan.reduces());
  CHECK(plan.splits == 0);
}

TEST_CASE("a split product keeps f32 sums in the workspace, no part of K is empty") {
  const GemmSchedule forced{.m = 128, .n = 128, .split_k = 6};
  const GemmPlan plan = make_plan({}, {.m = 200, .n = 100, .k = 64 * 13}, {}, &forced);
  // 13 slots in 6 parts: 3 a part, so 5 parts (3, 3, 3, 3, 1).
  CHECK(plan.steps == 3);
  CHECK(plan.splits == 5);
  CHECK(plan.kernel.partial);
  CHECK(plan.kernel.out == DType::f32);
  CHECK(plan.sums.pitch == 128); // 100 f32 in whole lines of 128 bytes
  CHECK(plan.sums.bytes == 5 * 200 * 128 * 4);
}

TEST_CASE("shape-05 a large operand with an odd pitch is copied, and the words name the rule") {
  const GemmProblem problem{.a = {.tma = false}};
  const GemmPlan plan = make_plan(problem, {.m = 4096, .n = 4096, .k = 4099});
  CHECK(plan.choice.repitch_a);
  CHECK(plan.kernel.a.tma);
  CHECK(plan.copy_a.pitch == 4160); // the next multiple of 64
  CHECK(plan.choice.why.find("A has a base or pitch that is no multiple of 16 bytes") != std::string::npos);
}

TEST_CASE("a swapped schedule still re-pitches the caller's operands") {
  const GemmProblem problem{.b = {.transposed = true, .tma = false}};
  const GemmSchedule forced{.m = 128, .n = 16, .cluster = 1, .swap = 1};
  const GemmPlan plan = make_plan(problem, {.m = 16, .n = 4096, .k = 4099}, {}, &forced);
  CHECK(plan.choice.repitch_b);
  CHECK(plan.kernel.a.tma); // the caller's B is the kernel's A
  CHECK(plan.copy_b.bytes == 4096 * 4160 * 2);
}
