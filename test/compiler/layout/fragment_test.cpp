// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A fragment as a function: evaluation, validity, normal form, changes of dimension.
#include "compiler/layout/fragment.h"
#include "compiler/layout/hardware_fragments.h"
#include "test/compiler/layout/every_index.h"

#include <catch2/catch.hpp>

#include <map>

using namespace tegula::layout;

namespace {

std::vector<Fragment> samples() {
  return {wgmma_accumulator(64, 16),   wgmma_accumulator(128, 40),        wgmma_accumulator(256, 16, 2),
          wgmma_a_8bit(64, 64),        blocked({96, 80}, 1, 4, 4),        blocked({3, 8, 20}, 1, 8, 2),
          replicated({4, 6}, 4),       blocked({8, 8}, 1, 4, 4),          wgmma_a_tf32(64, 16),
          blocked({176, 64}, 0, 8, 8), wgmma_accumulator(64, 8).slice(1), wgmma_accumulator(64, 24).slice(0)};
}

// A sum of digits in which one digit of the register axis is cut in two.
Fragment with_split_digit(const Fragment &f, int64_t factor) {
  Digits reg = f.digits(Axis::reg);
  for (size_t i = 0; i < reg.size(); ++i)
    if (reg[i].extent % factor == 0 && reg[i].extent > factor) {
      Digit high = {reg[i].extent / factor, reg[i].dim, reg[i].stride * factor};
      reg[i].extent = factor;
      reg.insert(reg.begin() + i + 1, {{1, 0, 77}, high});
      break;
    }
  return {f.shape(), reg, f.digits(Axis::lane), f.digits(Axis::warp)};
}

} // namespace

TEST_CASE("the worked example of the header") {
  const Fragment f = wgmma_accumulator(64, 16);
  CHECK(to_string(f) == "reg = [2:1@1, 2:8@0, 2:8@1], lane = [4:2@1, 8:1@0], warp = [4:16@0]");
  CHECK(f.coordinate(6, 5, 2) == Coordinates{41, 10});
}

TEST_CASE("every sample is a fragment without a problem") {
  for (const Fragment &f : samples()) {
    INFO(to_string(f));
    CHECK(f.problem() == std::nullopt);
  }
}

TEST_CASE("a coordinate is the register's constant plus the thread's terms") {
  for (const Fragment &f : samples()) {
    const std::vector<ThreadTerm> terms = f.thread_terms();
    every_place(f, [&](int64_t r, int64_t l, int64_t w) {
      Coordinates sum = f.register_offset(r);
      for (const ThreadTerm &term : terms)
        sum[term.dim] += term.value(term.axis == Axis::lane ? l : w);
      REQUIRE(sum == f.coordinate(r, l, w));
    });
  }
}

TEST_CASE("covers and is_injective agree with counting the holders of each element") {
  for (const Fragment &f : samples()) {
    std::map<Coordinates, int64_t> holders;
    every_place(f, [&](int64_t r, int64_t l, int64_t w) { ++holders[f.coordinate(r, l, w)]; });
    int64_t elements = 0, most = 0, least = 1 << 30;
    every_element(f.shape(), [&](const Coordinates &at) {
      ++elements;
      most = std::max(most, holders[at]);
      least = std::min(least, holders[at]);
    });
    INFO(to_string(f));
    CHECK(f.covers() == (least > 0));
    CHECK(f.is_injective() == (most == 1));
    CHECK(f.replication() == most);
    CHECK(least == most);
  }
}

TEST_CASE("a fragment that leaves elements out does not cover") {
  // 0..31 and 64..95
  const Fragment f({96}, {{2, 0, 64}}, {{32, 0, 1}}, {});
  CHECK_FALSE(f.covers());
  CHECK(f.is_injective());
  CHECK(f.problem() == "some elements are held by no thread");
}

TEST_CASE("digits whose sums coincide are not injective") {
  const Fragment f({34}, {{3, 0, 1}}, {{32, 0, 1}}, {});
  CHECK(f.covers());
  CHECK_FALSE(f.is_injective());
}

TEST_CASE("replica terms are zero for exactly one holder of each element") {
  for (const Fragment &f : samples()) {
    std::map<Coordinates, int64_t> holders;
    every_place(f, [&](int64_t r, int64_t l, int64_t w) {
      for (const ThreadTerm &term : f.replica_terms())
        if (term.value(term.axis == Axis::reg ? r : term.axis == Axis::lane ? l : w) != 0)
          return;
      ++holders[f.coordinate(r, l, w)];
    });
    for (const auto &[at, count] : holders)
      REQUIRE(count == 1);
    every_element(f.shape(), [&](const Coordinates &at) { REQUIRE(holders[at] == 1); });
  }
}

TEST_CASE("canonical means the same and undoes a split digit") {
  for (const Fragment &f : samples())
    for (int64_t factor : {2, 3}) {
      const Fragment split = with_split_digit(f, factor);
      CHECK(equal_everywhere(f, split));
      CHECK(split.canonical() == f.canonical());
      CHECK(equal_everywhere(f, f.canonical()));
    }
}

TEST_CASE("a fragment's problem names what is wrong") {
  const Digits lanes = {{32, 0, 1}};
  CHECK(Fragment({32}, {{0, 0, 1}}, lanes, {}).problem() == "reg has a digit of extent 0, below 1");
  CHECK(Fragment({32}, {}, {{16, 0, 1}}, {}).problem() == "lane digits multiply to 16, not 32");
  CHECK(Fragment({32}, {{2, 1, 1}}, lanes, {}).problem() == "reg moves along dimension 1 of a tile of rank 1");
  CHECK(Fragment({32}, {{2, 0, 32}}, lanes, {}).problem() ==
        "coordinate 63 along dimension 0 is outside the extent 32");
  CHECK(Fragment({32}, {}, lanes, {{2, 0, -1}}).problem() == "warp has a digit of stride -1, below 0");
  CHECK(wgmma_accumulator(60, 16).problem() == "reg has a digit of extent 0, below 1");
}

TEST_CASE("transpose swaps the coordinates of every place") {
  const Fragment f = wgmma_accumulator(64, 40), t = f.transpose();
  CHECK(t.shape() == Shape{40, 64});
  every_place(f, [&](int64_t r, int64_t l, int64_t w) {
    const Coordinates a = f.coordinate(r, l, w), b = t.coordinate(r, l, w);
    REQUIRE(a == Coordinates{b[1], b[0]});
  });
  CHECK(t.transpose() == f);
}

TEST_CASE("permute puts dimension dims[i] at place i") {
  const Fragment f = blocked({3, 8, 20}, 1, 8, 2), p = f.permute({2, 0, 1});
  CHECK(p.shape() == Shape{20, 3, 8});
  every_place(f, [&](int64_t r, int64_t l, int64_t w) {
    const Coordinates a = f.coordinate(r, l, w), b = p.coordinate(r, l, w);
    REQUIRE(b == Coordinates{a[2], a[0], a[1]});
  });
}

TEST_CASE("a slice holds each row value where the row's elements are") {
  for (const Fragment &f : samples())
    for (int dim = 0; dim < f.rank(); ++dim) {
      const Fragment s = f.slice(dim);
      REQUIRE(s.problem() == std::nullopt);
      every_place(f, [&](int64_t r, int64_t l, int64_t w) {
        Coordinates at = f.coordinate(r, l, w);
        at.erase(at.begin() + dim);
        REQUIRE(s.coordinate(f.sliced_register(dim, r), l, w) == at);
      });
    }
}

TEST_CASE("row statistics of the accumulator: two a thread, alike in a quad") {
  CHECK(to_string(wgmma_accumulator(64, 128).slice(1)) == "reg = [2:8@0], lane = [4:*, 8:1@0], warp = [4:16@0]");
}

TEST_CASE("insert_unit and drop_unit undo one another") {
  const Fragment f = wgmma_accumulator(64, 16);
  for (int dim = 0; dim <= 2; ++dim) {
    const Fragment wide = f.insert_unit(dim);
    CHECK(wide.problem() == std::nullopt);
    CHECK(wide.shape()[dim] == 1);
    CHECK(wide.drop_unit(dim) == f);
  }
}

TEST_CASE("words counts 32-bit registers") {
  const Fragment f = wgmma_accumulator(64, 16); // 8 elements a thread
  CHECK(f.words(32) == 8);
  CHECK(f.words(16) == 4);
  CHECK(f.words(8) == 2);
  CHECK(f.words(64) == 16);
  CHECK(f.words(1) == 2);
}
