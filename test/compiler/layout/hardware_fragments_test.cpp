// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fragments against the formulas of the instructions, written out as the PTX ISA has them.
#include "compiler/layout/hardware_fragments.h"
#include "test/compiler/layout/every_index.h"

#include <catch2/catch.hpp>

using namespace tegula::layout;

TEST_CASE("the accumulator is the wgmma table's, for every N") {
  for (int64_t n = 8; n <= 256; n += 8) {
    const Fragment f = wgmma_accumulator(64, n);
    REQUIRE(f.registers() == n / 2);
    REQUIRE(f.is_injective());
    every_place(f, [&](int64_t i, int64_t l, int64_t w) {
      const int64_t row = 16 * w + l / 4 + 8 * ((i / 2) % 2), column = 8 * (i / 4) + 2 * (l % 4) + i % 2;
      REQUIRE(f.coordinate(i, l, w) == Coordinates{row, column});
    });
  }
}

TEST_CASE("taller accumulators are blocks of 64 rows, one after the other") {
  const Fragment f = wgmma_accumulator(128, 32), block = wgmma_accumulator(64, 32);
  every_place(f, [&](int64_t r, int64_t l, int64_t w) {
    Coordinates at = block.coordinate(r % 16, l, w);
    at[0] += r / 16 * 64;
    REQUIRE(f.coordinate(r, l, w) == at);
  });
}

TEST_CASE("16-bit A: register j, half h") {
  const Fragment f = wgmma_a_16bit(64, 64);
  every_place(f, [&](int64_t r, int64_t l, int64_t w) {
    const int64_t step = r / 8, j = r % 8 / 2, h = r % 2;
    const int64_t k = 16 * step + 8 * (j / 2) + 2 * (l % 4) + h;
    REQUIRE(f.coordinate(r, l, w) == Coordinates{16 * w + l / 4 + 8 * (j % 2), k});
  });
}

TEST_CASE("8-bit A: register j, byte h") {
  const Fragment f = wgmma_a_8bit(64, 128);
  every_place(f, [&](int64_t r, int64_t l, int64_t w) {
    const int64_t step = r / 16, j = r % 16 / 4, h = r % 4;
    const int64_t k = 32 * step + 16 * (j / 2) + 4 * (l % 4) + h;
    REQUIRE(f.coordinate(r, l, w) == Coordinates{16 * w + l / 4 + 8 * (j % 2), k});
  });
}

TEST_CASE("tf32 A: register j") {
  const Fragment f = wgmma_a_tf32(64, 32);
  every_place(f, [&](int64_t r, int64_t l, int64_t w) {
    const int64_t step = r / 4, j = r % 4;
    REQUIRE(f.coordinate(r, l, w) == Coordinates{16 * w + l / 4 + 8 * (j % 2), 8 * step + 4 * (j / 2) + l % 4});
  });
}

TEST_CASE("an accumulator packed in pairs is a 16-bit A fragment") {
  for (int64_t n : {16, 64, 176, 256})
    CHECK(same_mapping(wgmma_accumulator(64, n), wgmma_a_16bit(64, n)));
}

TEST_CASE("an accumulator is not an 8-bit A fragment") {
  CHECK_FALSE(same_mapping(wgmma_accumulator(64, 64), wgmma_a_8bit(64, 64)));
}

TEST_CASE("A fragments of all widths are one fragment of bits") {
  const Fragment bits16 = wgmma_a_16bit(64, 64);
  CHECK(same_mapping(*wgmma_a_8bit(64, 128).with_element_bits(8, 16, 1), bits16));
  CHECK(same_mapping(*wgmma_a_tf32(64, 32).with_element_bits(32, 16, 1), bits16));
  CHECK(same_mapping(*bits16.with_element_bits(16, 8, 1), wgmma_a_8bit(64, 128)));
}

TEST_CASE("bits that are not neighbours in a thread don't widen") {
  CHECK(wgmma_accumulator(64, 16).with_element_bits(16, 32, 0).reason() ==
        "2 neighbours along dimension 0 are not neighbours in a thread's registers");
  CHECK_FALSE(wgmma_accumulator(64, 16).with_element_bits(8, 32, 1));
}

TEST_CASE("tensor memory 32x32b: a thread is a lane") {
  const Fragment f = tmem_32x32b(64);
  every_place(f,
              [&](int64_t r, int64_t l, int64_t w) { REQUIRE(f.coordinate(r, l, w) == Coordinates{32 * w + l, r}); });
}

TEST_CASE("blocked covers any shape once, or evenly often") {
  for (const Shape &shape : {Shape{1},
                             {7},
                             {96},
                             {1000},
                             {96, 80},
                             {176, 64},
                             {64, 96},
                             {105, 107},
                             {1, 100},
                             {2, 3, 40},
                             {128, 256},
                             {5, 1, 8},
                             {4, 2, 16, 8}})
    for (int unit = 0; unit < static_cast<int>(shape.size()); ++unit)
      for (int64_t vector : {1, 4, 8, 16})
        for (int64_t warps : {1, 4, 8, 12}) {
          const Fragment f = blocked(shape, unit, vector, warps);
          INFO(to_string(f));
          REQUIRE(f.problem() == std::nullopt);
          REQUIRE(f.warps() == warps);
          int64_t elements = 1;
          for (int64_t extent : shape)
            elements *= extent;
          REQUIRE(f.replication() * elements == f.registers() * 32 * warps);
        }
}

TEST_CASE("blocked moves 16 bytes a thread where the tile is large enough") {
  CHECK(vector_run(blocked({64, 128}, 1, 8, 4), 1) == 8);
  CHECK(vector_run(blocked({128, 64}, 0, 4, 4), 0) == 4);
  CHECK(vector_run(blocked({96, 80}, 1, 4, 4), 1) == 4);
}

TEST_CASE("blocked lanes lie side by side along the unit dimension") {
  // 256 columns of 4 bytes: 32 lanes of 16 bytes read 512 bytes of one row.
  const Fragment f = blocked({64, 256}, 1, 4, 4);
  for (int64_t lane = 0; lane < 32; ++lane)
    CHECK(f.coordinate(0, lane, 0) == Coordinates{0, 4 * lane});
}

TEST_CASE("blocked spreads before it widens: a row of 64 gives 2 to each lane") {
  const Fragment f = blocked({64}, 0, 4, 1);
  CHECK(f.registers() == 2);
  CHECK(f.is_injective());
}

TEST_CASE("replicated gives every thread the tile, last dimension fastest") {
  const Fragment f = replicated({4, 6}, 2);
  every_place(f, [&](int64_t r, int64_t l, int64_t w) { REQUIRE(f.coordinate(r, l, w) == Coordinates{r / 6, r % 6}); });
}
