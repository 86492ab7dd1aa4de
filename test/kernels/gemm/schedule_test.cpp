// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schedules: text form, limits, and what the table chooses.
#include <catch2/catch.hpp>

#include <chrono>

#include "kernels/gemm/schedule_table.h"

using namespace tegula;

TEST_CASE("a schedule survives its text form") {
  const GemmSchedule schedule{.m = 64, .n = 32, .stages = 7, .math = 1, .swap = 1, .split_k = 5};
  const Result<GemmSchedule> read = parse_schedule(to_string(schedule));
  REQUIRE(read.ok());
  CHECK(*read == schedule);
}

TEST_CASE("a mistyped field and a value out of range are both named") {
  const Result<GemmSchedule> read = parse_schedule("stage=3,tile_n=512");
  REQUIRE_FALSE(read.ok());
  CHECK(read.error().message() == "bad schedule, for 2 reasons:\n"
                                  "  - unknown schedule field 'stage'; did you mean 'stages'?; the fields are tile_m, "
                                  "tile_n, tile_k, stages, math, "
                                  "pingpong, cluster, raster, load_registers, math_registers, swap, split_k\n"
                                  "  - tile_n is '512'; it must be a whole number from 8 to 256");
}

TEST_CASE("compile-03 a schedule over the shared-memory limit is refused at once with both numbers") {
  const auto begin = std::chrono::steady_clock::now();
  const Result<void> result = validate(GemmProblem{}, {.m = 256, .n = 256, .k = 128, .stages = 8, .math = 4});
  const auto taken = std::chrono::steady_clock::now() - begin;
  REQUIRE_FALSE(result.ok());
  // A slot: (256 + 256) · 128 · 2 = 131072; eight of them, D's staging of 256 · 64 · 2 = 32768, and 2048 to spare.
  CHECK(result.error().message().find("schedule needs 1083392 bytes of shared memory a block; the device has 232448: "
                                      "lower stages (8) or the tile (256x256x128)") != std::string::npos);
  CHECK(taken < std::chrono::milliseconds(100));
}

TEST_CASE("limit-04 message-01 a device with less shared memory: the need, its limit and what to lower are named") {
  const Result<void> result = validate(GemmProblem{}, {.m = 128, .n = 128, .stages = 3}, 101376);
  REQUIRE_FALSE(result.ok());
  // 3 · (128 + 128) · 64 · 2 = 98304, staging 128 · 64 · 2 = 16384, 2048 to spare.
  CHECK(
      result.error().message() ==
      "no gemm with the schedule 'tile_m=128 tile_n=128 tile_k=64 stages=3 math=2 pingpong=0 cluster=2 raster=16 "
      "load_registers=0 math_registers=0 swap=0 split_k=1': schedule needs 116736 bytes of shared memory a block; the "
      "device has 101376: lower stages (3) or the tile (128x128x64)");
}

TEST_CASE("limit-05 on a device with little shared memory the table finds a schedule that fits") {
  const GemmMachine machine{.shared_limit = 101376};
  const GemmChoice choice = choose_schedule(GemmProblem{}, {.m = 4096, .n = 4096, .k = 4096}, machine);
  CHECK(validate(GemmProblem{}, choice.schedule, machine.shared_limit).ok());
}

TEST_CASE("registers: more than the block's pool is refused") {
  const Result<void> result = validate(GemmProblem{}, {.load_registers = 80, .math_registers = 224});
  REQUIRE_FALSE(result.ok());
  // (80 + 2 · 224) · 128 = 67584 of 168 · 384 = 64512.
  CHECK(result.error().message().find("the roles ask for 67584 registers; a block of 384 threads has 64512") !=
        std::string::npos);
}

TEST_CASE("every choice is a schedule that can be built") {
  for (int64_t m : {1, 16, 63, 128, 513, 4096})
    for (int64_t n : {1, 8, 200, 4096, 30000})
      for (int64_t k : {1, 64, 4096, 32768})
        for (bool b_transposed : {false, true}) {
          const GemmProblem problem{.b = {.transposed = b_transposed}};
          const GemmChoice choice = choose_schedule(problem, {.m = m, .n = n, .k = k});
          INFO(m << "x" << n << "x" << k << ": " << to_string(choice.schedule));
          CHECK(validate(kernel_problem(problem, choice), choice.schedule).ok());
          CHECK_FALSE(choice.why.empty());
        }
}

// Extents that nobody measured: the model decides.
TEST_CASE("the model swaps operands for few rows, splits a long K, and says so") {
  const GemmChoice decode = choose_schedule(GemmProblem{}, {.m = 16, .n = 14000, .k = 4096});
  CHECK(decode.schedule.swap == 1);
  CHECK(decode.schedule.n <= 32);
  CHECK(decode.why.find("operands swapped") != std::string::npos);
  const GemmChoice deep = choose_schedule(GemmProblem{}, {.m = 520, .n = 520, .k = 32000});
  CHECK(deep.schedule.split_k > 1);
  CHECK(deep.why.find("K in") != std::string::npos);
}

TEST_CASE("by the model a big square gets a full-size tile and no split") {
  const GemmChoice choice = choose_schedule(GemmProblem{}, {.m = 12288, .n = 12288, .k = 8000});
  CHECK(choice.schedule.m * choice.schedule.n == 128 * 256);
  CHECK(choice.schedule.split_k == 1);
}
