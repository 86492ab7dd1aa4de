// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TMA plans carried out by a model of the copy engine: every element must land where the layout says.
#include "compiler/layout/tma_box.h"
#include "test/compiler/layout/every_index.h"

#include <catch2/catch.hpp>

#include <map>

using namespace tegula::layout;

namespace {

// The engine writes a box densely, innermost dimension first, and swizzles the absolute address.
void land(const TmaPlan &plan, const SharedLayout &layout, int64_t part, std::map<int64_t, Coordinates> &memory) {
  const int64_t inner_bytes = plan.box[0] * layout.element_bytes;
  CHECK(inner_bytes % 16 == 0);
  if (plan.swizzle != Swizzle::none)
    CHECK(inner_bytes <= tegula::span_bytes(plan.swizzle));
  for (int64_t side : plan.box)
    CHECK((side >= 1 && side <= 256));
  for (const BoxCopy &copy : plan.copies) {
    const int64_t start = copy.shared_offset + part * plan.part_shared_step;
    REQUIRE(start % layout.alignment() == 0);
    Shape box(plan.box.rbegin(), plan.box.rend());
    int64_t index = 0;
    every_element(box, [&](const Coordinates &inside) {
      Coordinates at = copy.tile_offset;
      for (size_t i = 0; i < plan.dims.size(); ++i)
        at[plan.dims[i]] += inside[inside.size() - 1 - i];
      if (plan.part_dim >= 0)
        at[plan.part_dim] += part * plan.part_extent;
      REQUIRE(memory.emplace(apply_swizzle(plan.swizzle, start + index++ * layout.element_bytes), at).second);
    });
    CHECK(index * layout.element_bytes == plan.bytes_per_copy);
  }
}

void check_lands(const SharedLayout &layout, TmaParts parts = {}) {
  INFO(to_string(layout) << ", parts " << parts.count << " along " << parts.dim);
  const Outcome<TmaPlan> plan = plan_tma(layout, parts);
  INFO(plan.reason());
  REQUIRE(plan);
  std::map<int64_t, Coordinates> memory;
  for (int64_t part = 0; part < plan->parts; ++part)
    land(*plan, layout, part, memory);
  int64_t elements = 0;
  every_element(layout.shape, [&](const Coordinates &at) {
    ++elements;
    REQUIRE(memory.at(layout.offset(at)) == at);
  });
  CHECK(memory.size() == static_cast<size_t>(elements));
  CHECK(plan->total_bytes == elements * layout.element_bytes);
}

using Sides = std::vector<int64_t>;

} // namespace

TEST_CASE("every element lands where the layout says") {
  for (int unit : {0, 1})
    for (int64_t element_bytes : {1, 2, 4})
      for (const Shape &shape : {Shape{64, 64}, {128, 64}, {64, 256}, {96, 160}, {16, 32}, {512, 64}}) {
        check_lands(SharedLayout::best(shape, unit, element_bytes));
        check_lands(SharedLayout::plain(shape, unit, element_bytes));
        check_lands(SharedLayout::core_matrices(shape, unit, element_bytes));
      }
}

TEST_CASE("stacks of matrices land where the layout says") {
  check_lands(SharedLayout::best({4, 64, 64}, 2, 2));
  check_lands(SharedLayout::best({3, 16, 128}, 2, 2));
  check_lands(SharedLayout::best({2, 3, 8, 64}, 3, 2));
  check_lands(SharedLayout::best({300, 8, 8}, 2, 4));
  check_lands(SharedLayout::plain({5, 3, 8}, 2, 4));
}

TEST_CASE("a K-major stage of 64 bf16 is one box") {
  const auto plan = plan_tma(SharedLayout::best({128, 64}, 1, 2));
  CHECK(plan->box == Sides{64, 128});
  CHECK(plan->dims == std::vector<int>{1, 0});
  CHECK(plan->copies.size() == 1);
  CHECK(plan->total_bytes == 16384);
}

TEST_CASE("an MN-major tile 256 wide is four boxes") {
  const auto plan = plan_tma(SharedLayout::best({64, 256}, 1, 2));
  CHECK(plan->box == Sides{64, 64});
  CHECK(plan->copies == std::vector<BoxCopy>{{{0, 0}, 0}, {{0, 64}, 8192}, {{0, 128}, 16384}, {{0, 192}, 24576}});
}

TEST_CASE("sides over 256 elements are split: limit-07") {
  const auto wide = plan_tma(SharedLayout::best({64, 512}, 1, 2)), tall = plan_tma(SharedLayout::best({512, 64}, 1, 2));
  CHECK(wide->box == Sides{64, 64});
  CHECK(wide->copies.size() == 8);
  CHECK(tall->box == Sides{64, 256});
  CHECK(tall->copies.size() == 2);
  CHECK(wide->total_bytes == 65536);
  CHECK(tall->total_bytes == 65536);
  const auto line = plan_tma(SharedLayout::best({1024}, 0, 4));
  CHECK(line->box == Sides{256});
  CHECK(line->copies.size() == 4);
  CHECK(line->total_bytes == 4096);
  check_lands(SharedLayout::best({64, 512}, 1, 2));
  check_lands(SharedLayout::best({512, 64}, 1, 2));
  check_lands(SharedLayout::best({1024}, 0, 4));
}

TEST_CASE("parts of a multicast tile make up the tile") {
  const SharedLayout k_major = SharedLayout::best({128, 64}, 1, 2), mn_major = SharedLayout::best({64, 256}, 1, 2);
  check_lands(k_major, {2, 0});
  check_lands(k_major, {4, 0});
  check_lands(mn_major, {2, 1});
  check_lands(mn_major, {4, 0});
  check_lands(SharedLayout::best({4, 64, 64}, 2, 2), {2, 0});
  const auto half = plan_tma(k_major, {2, 0});
  CHECK(half->box == Sides{64, 64});
  CHECK(half->part_bytes == 8192);
  CHECK(half->total_bytes == 16384);
  CHECK(half->part_shared_step == 8192);
}

TEST_CASE("what TMA cannot write is refused with the reason") {
  auto reason = [](const SharedLayout &layout, TmaParts parts = {}) { return plan_tma(layout, parts).reason(); };
  CHECK(reason(SharedLayout::plain({64, 5}, 1, 2)) == "rows of 10 bytes are no multiple of 16");
  CHECK(reason(SharedLayout::plain({64, 64}, 1, 2, 16)) ==
        "64 rows of 144 bytes do not divide into boxes that start at multiples of 128 bytes");
  CHECK(reason(SharedLayout::best({1000}, 0, 4)) ==
        "a row of 1000 elements of 4 bytes does not divide into boxes of at most 256 elements that start at multiples "
        "of 128 bytes");
  CHECK(reason(SharedLayout::best({4, 128}, 1, 2)) ==
        "panels of 4 rows of 128 bytes do not start at multiples of 1024");
  CHECK(reason(SharedLayout::best({128, 64}, 1, 2), {3, 0}) ==
        "dimension 0 of [128, 64]xb2, unit 1, swizzle b128, panel 128 does not divide into 3 parts");
  CHECK(reason(SharedLayout::best({8, 64}, 1, 2), {2, 0}) ==
        "part 1 of 2 would start at byte 512, not at a multiple of 1024");
  CHECK(reason(SharedLayout::best({1, 1, 1, 1, 8, 64}, 5, 2)) ==
        "a tile of rank 6; a tensor map has at most 5 dimensions");
}
