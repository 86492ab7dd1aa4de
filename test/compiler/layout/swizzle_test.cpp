// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared-memory layouts: the formula, bijection, and which parts of a tile are tiles.
#include "compiler/layout/swizzle.h"
#include "test/compiler/layout/every_index.h"

#include <catch2/catch.hpp>

using namespace tegula::layout;

namespace {

std::vector<SharedLayout> samples() {
  std::vector<SharedLayout> all;
  for (Swizzle swizzle : {Swizzle::b32, Swizzle::b64, Swizzle::b128})
    for (int unit : {0, 1})
      for (int64_t element_bytes : {1, 2, 4})
        all.push_back(SharedLayout::swizzled({128, 128}, unit, element_bytes, swizzle));
  all.push_back(SharedLayout::plain({24, 40}, 1, 2, 16));
  all.push_back(SharedLayout::plain({24, 7}, 0, 4));
  all.push_back(SharedLayout::core_matrices({64, 32}, 1, 2));
  all.push_back(SharedLayout::best({3, 64, 80}, 2, 2));
  all.push_back(SharedLayout::best({2, 3, 8, 64}, 2, 1));
  all.push_back(SharedLayout::best({1000}, 0, 4));
  return all;
}

} // namespace

TEST_CASE("a swizzled offset is the formula of the header") {
  const SharedLayout layout = SharedLayout::swizzled({64, 128}, 1, 2, Swizzle::b128);
  every_element(layout.shape, [&](const Coordinates &at) {
    const int64_t b = 2 * at[1];
    const int64_t linear = b / 128 * (64 * 128) + at[0] * 128 + b % 128;
    REQUIRE(layout.offset(at) == (linear ^ (((linear >> 7) & 7) << 4)));
  });
}

TEST_CASE("every layout gives each element bytes of its own") {
  for (const SharedLayout &layout : samples()) {
    INFO(to_string(layout));
    CHECK(layout.problem() == std::nullopt);
    CHECK(layout.is_bijective());
  }
}

TEST_CASE("dense layouts waste no byte") {
  CHECK(SharedLayout::best({128, 64}, 1, 2).size_bytes() == 128 * 64 * 2);
  CHECK(SharedLayout::best({3, 64, 80}, 2, 2).size_bytes() == 3 * 64 * 80 * 2);
  CHECK(SharedLayout::plain({24, 40}, 1, 2, 16).size_bytes() == 24 * 96);
}

TEST_CASE("a swizzle repeats after eight of its rows, and moves within a row") {
  for (Swizzle swizzle : {Swizzle::b32, Swizzle::b64, Swizzle::b128}) {
    const int64_t width = tegula::span_bytes(swizzle), repeat = swizzle_repeat(swizzle);
    CHECK(repeat == 8 * width);
    for (int64_t address = 0; address < 4096; ++address) {
      const int64_t moved = apply_swizzle(swizzle, address);
      REQUIRE(moved / width == address / width);
      REQUIRE(moved % 16 == address % 16);
      REQUIRE(apply_swizzle(swizzle, address + repeat) == moved + repeat);
      REQUIRE(apply_swizzle(swizzle, moved) == address);
    }
  }
}

TEST_CASE("choose_swizzle takes the widest that divides") {
  CHECK(choose_swizzle(256) == Swizzle::b128);
  CHECK(choose_swizzle(192) == Swizzle::b64);
  CHECK(choose_swizzle(160) == Swizzle::b32);
  CHECK(choose_swizzle(48) == Swizzle::none);
}

TEST_CASE("a part that starts on the pattern is laid out by the same rule") {
  const SharedLayout tile = SharedLayout::best({128, 128}, 1, 2);
  for (Coordinates at : {Coordinates{64, 0}, {0, 64}, {8, 64}, {64, 64}}) {
    const Outcome<SharedView> part = tile.view({64, 64}, at);
    REQUIRE(part);
    every_element(part->layout.shape, [&](const Coordinates &inner) {
      const Coordinates outer = {at[0] + inner[0], at[1] + inner[1]};
      REQUIRE(part->byte_offset + part->layout.offset(inner) == tile.offset(outer));
    });
  }
}

TEST_CASE("a slot of a ring is a part of fewer dimensions") {
  const SharedLayout ring = SharedLayout::best({4, 64, 128}, 2, 2);
  const Outcome<SharedView> slot = ring.view({64, 128}, {3, 0, 0});
  REQUIRE(slot);
  CHECK(slot->layout == SharedLayout::best({64, 128}, 1, 2));
  CHECK(slot->byte_offset == 3 * 64 * 128 * 2);
}

TEST_CASE("a part off the pattern is refused with the reason") {
  const SharedLayout tile = SharedLayout::best({128, 128}, 1, 2);
  CHECK(tile.subtile_offset({4, 0}).reason() ==
        "a part that starts at byte 512 is off the 1024-byte pattern of swizzle b128: rows must start at a multiple "
        "of 8");
  CHECK(tile.subtile_offset({0, 16}).reason() ==
        "a part that starts at byte 32 of a row is inside a panel of 128 bytes");
  CHECK(tile.subtile_offset({128, 0}).reason() == "offset 128 is outside the extent 128 of dimension 0");
}

TEST_CASE("a plain tile may be cut anywhere") {
  const SharedLayout tile = SharedLayout::plain({24, 40}, 1, 2, 16);
  const Outcome<SharedView> part = tile.view({5, 7}, {3, 9});
  REQUIRE(part);
  every_element(part->layout.shape, [&](const Coordinates &inner) {
    REQUIRE(part->byte_offset + part->layout.offset(inner) == tile.offset({3 + inner[0], 9 + inner[1]}));
  });
}

TEST_CASE("a transposed layout names the same bytes") {
  const SharedLayout tile = SharedLayout::best({64, 128}, 1, 2), t = tile.transpose();
  every_element(tile.shape, [&](const Coordinates &at) { REQUIRE(tile.offset(at) == t.offset({at[1], at[0]})); });
}

TEST_CASE("a layout's problem names what is wrong") {
  CHECK(SharedLayout::swizzled({64, 40}, 1, 2, Swizzle::b64).problem() ==
        "rows of 80 bytes are no multiple of the panel's 64");
  CHECK(SharedLayout::best({2, 3, 4, 64}, 0, 2).problem() ==
        "the unit dimension 0 is not among the last two of rank 4");
}
