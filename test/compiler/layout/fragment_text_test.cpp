// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fragments printed and read back.
#include "compiler/layout/fragment.h"
#include "compiler/layout/hardware_fragments.h"

#include <catch2/catch.hpp>

using namespace tegula::layout;

TEST_CASE("a printed fragment reads back as itself") {
  for (const Fragment &f : {wgmma_accumulator(64, 16), blocked({96, 80}, 1, 4, 4), replicated({4, 6}, 4),
                            wgmma_accumulator(64, 8).slice(1), blocked({8, 8}, 1, 4, 4), blocked({64}, 0, 4, 1)}) {
    const Outcome<Fragment> back = parse_fragment(to_string(f), f.shape());
    INFO(to_string(f) << back.reason());
    REQUIRE(back);
    CHECK(*back == f);
  }
}

TEST_CASE("blanks are free and empty axes are one index") {
  const Outcome<Fragment> f = parse_fragment(" reg=[ ],lane = [ 32 : 1 @ 0 ] , warp=[]", {32});
  REQUIRE(f);
  CHECK(f->registers() == 1);
  CHECK(f->warps() == 1);
}

TEST_CASE("the reader says what it expected, and where") {
  CHECK(parse_fragment("reg = [2:1@], lane = [32:*], warp = []", {2}).reason() ==
        "fragment text: expected a number at character 11 of 'reg = [2:1@], lane = [32:*], warp = []'");
  CHECK(parse_fragment("lane = []", {2}).reason() == "fragment text: expected 'reg' at character 0 of 'lane = []'");
  CHECK_FALSE(parse_fragment("reg = [], lane = [32:1@0], warp = [] x", {32}));
}

TEST_CASE("text that is no fragment of the shape is refused") {
  CHECK(parse_fragment("reg = [], lane = [16:1@0], warp = []", {16}).reason() == "lane digits multiply to 16, not 32");
}
