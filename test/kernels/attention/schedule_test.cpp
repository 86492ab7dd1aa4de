// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schedules: their text, their limits, the table's choice, and what the assembler says of it.
#include <catch2/catch.hpp>

#include "compiler/pipeline/compile.h"
#include "kernels/attention/kernels.h"
#include "runtime/toolkit/toolkit.h"

using namespace tegula;

TEST_CASE("a schedule's text reads back") {
  const AttentionSchedule schedule{.n = 96, .math = 3, .stages = 4, .turns = 0, .heads_first = 1};
  const Result<AttentionSchedule> read = parse_attention_schedule(to_string(schedule));
  REQUIRE(read.ok());
  CHECK(*read == schedule);
}

TEST_CASE("words that are no schedule are refused with what is possible") {
  const Result<AttentionSchedule> read = parse_attention_schedule("tile_n=1000,colour=3");
  REQUIRE_FALSE(read.ok());
  CHECK(read.error().message() ==
        "bad schedule, for 2 reasons:\n"
        "  - tile_n is '1000'; it must be a whole number from 16 to 256\n"
        "  - a schedule has no field 'colour'; it has tile_n=128 math=2 stages=2 q_stages=1 turns=1 heads_first=0 "
        "math_registers=0 splits=0");
}

TEST_CASE("limit-05: a schedule that does not fit is refused with both numbers, a smaller one is found") {
  const AttentionProblem problem{.head_dim = 192, .head_dim_v = 128};
  const int64_t limit = 101376;
  const Result<void> refused = validate(problem, AttentionSchedule{.n = 96}, limit);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message() ==
        "cannot build attention: head dims 192 and 128 with tile_n=96 math=2 stages=2 q_stages=1 turns=1 heads_first=0 "
        "math_registers=0 splits=0 need 189440 bytes of shared memory; the device has 101376: lower tile_n, stages, "
        "q_stages or math");
  CHECK(validate(problem, choose_schedule(problem, 4096, limit), limit).ok());
}

TEST_CASE("with a causal mask and many tiles heads go first") {
  CHECK(choose_schedule({.mask = Mask::causal}, 16384).heads_first == 1);
  CHECK(choose_schedule({.mask = Mask::causal}, 4096).heads_first == 0);
  CHECK(choose_schedule({}, 16384).heads_first == 0);
}

TEST_CASE("the table's schedules neither spill nor serialize") {
  if (!find_ptxas("sm_90a").ok()) {
    WARN("skipped: no ptxas for sm_90a on this machine");
    return;
  }
  const int64_t head_dim = GENERATE(64, 96, 128, 192);
  const Mask mask = GENERATE(Mask::none, Mask::causal, Mask::window);
  const AttentionProblem problem{.head_dim = head_dim, .head_dim_v = head_dim, .mask = mask};
  const Result<dsl::Kernel> kernel = attention_sm90(problem, choose_schedule(problem, 4096));
  REQUIRE(kernel.ok());
  const Result<std::string> report = print_stage(*kernel, Stage::resources, {});
  REQUIRE(report.ok());
  INFO(to_string(problem) << "\n" << *report);
  CHECK(report->find("spills             0 bytes stored, 0 loaded") != std::string::npos);
  CHECK(report->find("serialized wgmma   no") != std::string::npos);
}
