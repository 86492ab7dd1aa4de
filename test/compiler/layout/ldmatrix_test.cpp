// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix moves carried out by a model of stmatrix: every element must land where the layout says.
#include "compiler/layout/hardware_fragments.h"
#include "compiler/layout/ldmatrix.h"
#include "test/compiler/layout/every_index.h"

#include <catch2/catch.hpp>

#include <map>

using namespace tegula::layout;

namespace {

// stmatrix: matrix q takes 32-bit register q of every lane. Bytes are followed one by one, so that any element width
// goes through the same model; memory[byte] = (coordinates, byte of the element).
using Byte = std::pair<Coordinates, int64_t>;

void store(const MatrixMovePlan &plan, const MatrixMove &move, const Fragment &f, const SharedLayout &layout,
           int64_t warp, std::map<int64_t, Byte> &memory) {
  const int64_t e = layout.element_bytes;
  for (int64_t q = 0; q < plan.count; ++q)
    for (int64_t lane = 0; lane < kLanes; ++lane)
      for (int64_t byte = 0; byte < 4; ++byte) {
        const int64_t half = byte / 2;
        const int64_t row = plan.trans ? 2 * (lane % 4) + half : lane / 4;
        const int64_t column = plan.trans ? lane / 4 : 2 * (lane % 4) + half;
        const int64_t address = layout.offset(plan.row(move, 8 * q + row, warp)) + 2 * column + byte % 2;
        const int64_t held = (move.first_word + q) * 4 + byte;
        memory[address] = {f.coordinate(held / e, lane, warp), held % e};
      }
}

MatrixMovePlan check_lands(const Fragment &f, const SharedLayout &layout) {
  const Outcome<MatrixMovePlan> plan = plan_matrix_move(f, layout);
  INFO(to_string(f) << " to " << to_string(layout) << ": " << plan.reason());
  REQUIRE(plan);
  std::map<int64_t, Byte> memory;
  for (int64_t warp = 0; warp < f.warps(); ++warp)
    for (const MatrixMove &move : plan->moves)
      store(*plan, move, f, layout, warp, memory);
  every_element(f.shape(), [&](const Coordinates &at) {
    for (int64_t byte = 0; byte < layout.element_bytes; ++byte)
      REQUIRE(memory.at(layout.offset(at) + byte) == Byte{at, byte});
  });
  return *plan;
}

} // namespace

TEST_CASE("an accumulator goes to a row-major tile by stmatrix.x4") {
  for (int64_t n : {16, 64, 176, 256}) {
    const MatrixMovePlan plan = check_lands(wgmma_accumulator(64, n), SharedLayout::best({64, n}, 1, 2));
    CHECK_FALSE(plan.trans);
    CHECK(plan.count == 4);
    CHECK(plan.moves.size() == static_cast<size_t>(n / 16));
  }
}

TEST_CASE("an accumulator goes to a column-major tile by stmatrix.x4.trans") {
  for (int64_t n : {16, 64, 176, 256}) {
    const MatrixMovePlan plan = check_lands(wgmma_accumulator(64, n), SharedLayout::best({64, n}, 0, 2));
    CHECK(plan.trans);
    CHECK(plan.count == 4);
  }
}

TEST_CASE("all layouts of shared memory are reached, tall accumulators too") {
  for (int unit : {0, 1}) {
    for (Swizzle swizzle : {Swizzle::none, Swizzle::b32, Swizzle::b64, Swizzle::b128})
      check_lands(wgmma_accumulator(128, 64), SharedLayout::swizzled({128, 64}, unit, 2, swizzle));
    check_lands(wgmma_accumulator(64, 64), SharedLayout::core_matrices({64, 64}, unit, 2));
    check_lands(wgmma_accumulator(64, 64), SharedLayout::plain({64, 64}, unit, 2, 16));
  }
}

TEST_CASE("an odd number of column blocks moves by x2") {
  const MatrixMovePlan plan = check_lands(wgmma_accumulator(64, 24), SharedLayout::plain({64, 24}, 1, 2));
  CHECK(plan.count == 2);
  CHECK(plan.moves.size() == 3);
}

TEST_CASE("the A operand is read by ldmatrix.x4, in every width") {
  CHECK(check_lands(wgmma_a_16bit(64, 64), SharedLayout::best({64, 64}, 1, 2)).count == 4);
  CHECK(check_lands(wgmma_a_8bit(64, 128), SharedLayout::best({64, 128}, 1, 1)).count == 4);
  CHECK(check_lands(wgmma_a_tf32(64, 32), SharedLayout::best({64, 32}, 1, 4)).count == 4);
}

TEST_CASE("the lane terms of an accumulator, by hand") {
  // Matrix q = lane / 8 has rows 8 * (q % 2) and columns 8 * (q / 2); warps are 16 rows apart.
  const auto plan = plan_matrix_move(wgmma_accumulator(64, 64), SharedLayout::best({64, 64}, 1, 2));
  CHECK(plan->row_terms ==
        std::vector<ThreadTerm>{
            {Axis::lane, 1, 8, 0, 1}, {Axis::lane, 8, 2, 0, 8}, {Axis::lane, 16, 0, 1, 8}, {Axis::warp, 1, 0, 0, 16}});
  CHECK(plan->moves[1].first_word == 4);
  CHECK(plan->moves[1].base == Coordinates{0, 16});
}

TEST_CASE("a tile of more dimensions moves by its matrix") {
  const Fragment f = wgmma_accumulator(64, 32).insert_unit(0);
  CHECK(check_lands(f, SharedLayout::best({1, 64, 32}, 2, 2)).count == 4);
}

TEST_CASE("what the instruction cannot move is refused with the reason") {
  auto reason = [](const Fragment &f, const SharedLayout &layout) { return plan_matrix_move(f, layout).reason(); };
  CHECK(reason(blocked({64, 64}, 1, 8, 4), SharedLayout::best({64, 64}, 1, 2))
            .starts_with("lanes are not spread as 4 pairs by 8 rows"));
  CHECK_FALSE(reason(wgmma_accumulator(64, 64), SharedLayout::best({64, 64}, 1, 4)).empty());
  CHECK(reason(wgmma_a_8bit(64, 64), SharedLayout::best({64, 64}, 0, 1)) ==
        "2 neighbours along dimension 0 are not neighbours in a thread's registers");
  CHECK(reason(wgmma_accumulator(64, 64), SharedLayout::plain({64, 64}, 1, 2, 8)) ==
        "rows every 136 bytes do not start at multiples of 16");
  CHECK(reason(wgmma_accumulator(64, 32), SharedLayout::best({64, 64}, 1, 2)) ==
        "the fragment and the tile differ in shape");
  CHECK_FALSE(reason(wgmma_accumulator(64, 8).slice(1), SharedLayout::plain({64}, 0, 2)).empty());
}
