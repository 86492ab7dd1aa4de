// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pairs of fragments, and what a fragment means for vectors and reductions.
#include "compiler/layout/fragment.h"
#include "compiler/layout/hardware_fragments.h"
#include "test/compiler/layout/every_index.h"

#include <catch2/catch.hpp>

#include <map>

using namespace tegula::layout;

namespace {

Fragment parsed(const char *text, Shape shape) { return *parse_fragment(text, std::move(shape)); }

// Carries the plan out on values; returns what each (register, lane, warp) of the result then holds.
std::map<std::vector<int64_t>, double> reduce_sum(const Fragment &f, const ReductionPlan &plan, auto value_at) {
  std::map<std::vector<int64_t>, double> partial;
  const int64_t regs = plan.result.registers();
  for (int64_t w = 0; w < f.warps(); ++w)
    for (int64_t l = 0; l < kLanes; ++l)
      for (int64_t i = 0; i < regs; ++i)
        for (int64_t r : plan.folds[i])
          partial[{i, l, w}] += value_at(f.coordinate(r, l, w));
  for (int mask : plan.lane_masks) {
    auto before = partial;
    for (auto &[place, value] : partial)
      value += before[{place[0], place[1] ^ mask, place[2]}];
  }
  // Through shared memory: slot (result element, partial's index) is written by every holder, then all slots are added.
  std::map<std::pair<Coordinates, int64_t>, double> slots;
  for (auto &[place, value] : partial) {
    int64_t index = 0;
    for (const ThreadTerm &term : plan.warp_terms)
      index += term.value(place[2]);
    REQUIRE(index < plan.warp_partials);
    slots[{plan.result.coordinate(place[0], place[1], place[2]), index}] = value;
  }
  for (auto &[place, value] : partial) {
    value = 0;
    for (int64_t index = 0; index < plan.warp_partials; ++index)
      value += slots.at({plan.result.coordinate(place[0], place[1], place[2]), index});
  }
  return partial;
}

} // namespace

TEST_CASE("same_mapping agrees with trying every place") {
  const std::vector<Fragment> all = {wgmma_accumulator(64, 32),  wgmma_a_16bit(64, 32),      wgmma_a_8bit(64, 32),
                                     wgmma_a_tf32(64, 32),       blocked({64, 32}, 1, 4, 4), blocked({64, 32}, 0, 4, 4),
                                     blocked({64, 32}, 1, 8, 4), replicated({64, 32}, 4)};
  for (const Fragment &a : all)
    for (const Fragment &b : all)
      CHECK(same_mapping(a, b) == equal_everywhere(a, b));
}

TEST_CASE("a register map finds each element in the same thread") {
  // The same threads, columns before rows.
  const Fragment from = wgmma_accumulator(64, 16);
  const Fragment to = parsed("reg = [2:1@1, 2:8@1, 2:8@0], lane = [4:2@1, 8:1@0], warp = [4:16@0]", {64, 16});
  const auto map = register_map(from, to);
  REQUIRE(map);
  every_place(to, [&](int64_t r, int64_t l, int64_t w) {
    REQUIRE(from.coordinate((*map)[r], l, w) == to.coordinate(r, l, w));
  });
  CHECK_FALSE(same_mapping(from, to));
}

TEST_CASE("no register map where threads hold other elements") {
  CHECK_FALSE(register_map(wgmma_a_16bit(64, 32), wgmma_a_8bit(64, 32)));
  CHECK_FALSE(register_map(replicated({64, 32}, 4), wgmma_accumulator(64, 32)));
}

TEST_CASE("8-bit A from accumulators stays within a warp, a blocked tile by columns does not") {
  CHECK(within_warps(wgmma_accumulator(64, 32), wgmma_a_8bit(64, 32)));
  CHECK_FALSE(
      within_warps(wgmma_accumulator(64, 32), parsed("reg = [64:1@0], lane = [4:8@1, 8:1@1], warp = [4:*]", {64, 32})));
  CHECK(within_warps(replicated({64, 32}, 4), wgmma_accumulator(64, 32)));
}

TEST_CASE("a vector run is consecutive and aligned in every thread") {
  for (const Fragment &f : {wgmma_accumulator(64, 32), blocked({96, 80}, 1, 8, 4), blocked({96, 80}, 0, 8, 4),
                            wgmma_a_8bit(64, 64), replicated({6, 12}, 1), blocked({3, 12}, 1, 4, 1)})
    for (int dim = 0; dim < 2; ++dim) {
      const int64_t run = vector_run(f, dim);
      REQUIRE(f.registers() % run == 0);
      every_place(f, [&](int64_t r, int64_t l, int64_t w) {
        Coordinates first = f.coordinate(r / run * run, l, w);
        REQUIRE(first[dim] % run == 0);
        first[dim] += r % run;
        REQUIRE(f.coordinate(r, l, w) == first);
      });
    }
}

TEST_CASE("the runs of the accumulator are pairs, of 8-bit A fours") {
  CHECK(vector_run(wgmma_accumulator(64, 256), 1) == 2);
  CHECK(vector_run(wgmma_accumulator(64, 256), 0) == 1);
  CHECK(vector_run(wgmma_a_8bit(64, 64), 1) == 4);
  CHECK(vector_run(blocked({64, 128}, 1, 8, 4), 1) == 8);
}

TEST_CASE("a run is no longer than the threads' starts allow") {
  // Lanes start at every second element.
  CHECK(vector_run(Fragment({66}, {{4, 0, 1}}, {{32, 0, 2}}, {}), 0) == 2);
}

TEST_CASE("a reduction plan leaves the sum with every holder") {
  for (const Fragment &f : {wgmma_accumulator(64, 32), wgmma_accumulator(128, 16), blocked({96, 80}, 1, 8, 4),
                            replicated({6, 12}, 2), blocked({4, 64}, 1, 4, 4), blocked({3, 8, 20}, 1, 8, 2),
                            parsed("reg = [2:*, 2:1@0], lane = [32:2@0], warp = [2:*]", {64})})
    for (int dim = 0; dim < f.rank(); ++dim) {
      auto value_at = [](const Coordinates &at) {
        double value = 1;
        for (int64_t c : at)
          value = value * 31 + static_cast<double>(c);
        return value;
      };
      std::map<Coordinates, double> expected;
      every_element(f.shape(), [&](Coordinates at) {
        const double value = value_at(at);
        at.erase(at.begin() + dim);
        expected[at] += value;
      });
      const ReductionPlan plan = reduction_plan(f, dim);
      for (const auto &[place, value] : reduce_sum(f, plan, value_at))
        REQUIRE(value == expected.at(plan.result.coordinate(place[0], place[1], place[2])));
    }
}

TEST_CASE("a row of the accumulator takes two shuffles, a column three and the other warps") {
  const Fragment f = wgmma_accumulator(64, 32);
  const ReductionPlan rows = reduction_plan(f, 1), columns = reduction_plan(f, 0);
  CHECK(rows.lane_masks == std::vector<int>{1, 2});
  CHECK_FALSE(rows.across_warps());
  CHECK(columns.lane_masks == std::vector<int>{4, 8, 16});
  CHECK(columns.warp_partials == 4);
}
