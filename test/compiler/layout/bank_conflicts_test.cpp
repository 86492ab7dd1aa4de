// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bank model on accesses whose answer is known by hand, and the promise that our own tiles are free of conflicts.
#include "compiler/layout/bank_conflicts.h"
#include "compiler/layout/hardware_fragments.h"

#include <catch2/catch.hpp>

using namespace tegula::layout;

TEST_CASE("a column of a plain tile of 128-byte rows takes 32 trips, padded by a word one") {
  const Fragment column({32, 1}, {}, {{32, 0, 1}}, {});
  SharedLayout tall = SharedLayout::plain({32, 32}, 1, 4), padded = SharedLayout::plain({32, 32}, 1, 4, 4);
  CHECK(bank_conflicts(column, tall, 4).wavefronts == 32);
  CHECK(bank_conflicts(column, padded, 4).wavefronts == 1);
}

TEST_CASE("lanes that read one word share a trip") {
  const Fragment same({1, 1}, {}, {{32, kReplicated, 0}}, {});
  CHECK(bank_conflicts(same, SharedLayout::plain({1, 1}, 1, 4), 4).wavefronts == 1);
}

TEST_CASE("16-byte accesses of whole rows go in four trips, all of them full") {
  const Fragment f = blocked({64, 64}, 1, 8, 4);
  const BankUse use = bank_conflicts(f, SharedLayout::best({64, 64}, 1, 2), 16);
  CHECK(use.wavefronts == 4);
  CHECK(use.conflict_free());
}

TEST_CASE("lanes of a 16-byte access conflict within their quarter only") {
  // A quarter's eight lanes stand above one another: 8 trips each, though the warp as a whole uses half of the banks.
  const Fragment columns({8, 16}, {{4, 1, 1}}, {{8, 0, 1}, {4, 1, 4}}, {});
  const BankUse use = bank_conflicts(columns, SharedLayout::plain({8, 32}, 1, 4), 16);
  CHECK(use.wavefronts == 32);
  CHECK(use.ideal == 4);
}

TEST_CASE("a blocked tile moves as 16 bytes in any swizzled layout") {
  CHECK(access_bytes(blocked({64, 64}, 1, 8, 4), SharedLayout::best({64, 64}, 1, 2)) == 16);
  CHECK(access_bytes(wgmma_accumulator(64, 64), SharedLayout::best({64, 64}, 1, 2)) == 4);
  CHECK(access_bytes(wgmma_accumulator(64, 64), SharedLayout::best({64, 64}, 0, 2)) == 2);
  CHECK(access_bytes(blocked({64, 20}, 1, 8, 1), SharedLayout::plain({64, 20}, 1, 2)) == 8);
  CHECK(access_bytes(blocked({64, 64}, 1, 8, 4), SharedLayout::plain({64, 64}, 1, 2, 4)) == 4);
}

TEST_CASE("stmatrix into a 128-byte swizzled staging tile is free of conflicts") {
  for (int unit : {0, 1})
    for (int64_t n : {64, 128, 256}) {
      const Fragment f = wgmma_accumulator(64, n);
      const SharedLayout staging = SharedLayout::best({64, n}, unit, 2);
      REQUIRE(staging.swizzle == Swizzle::b128);
      const auto plan = plan_matrix_move(f, staging);
      REQUIRE(plan);
      const BankUse use = bank_conflicts(*plan, staging, f.warps());
      CHECK(use.wavefronts == 4);
      CHECK(use.conflict_free());
    }
}

TEST_CASE("every swizzle keeps stmatrix free of conflicts, plain rows don't") {
  const Fragment f = wgmma_accumulator(64, 64);
  for (Swizzle swizzle : {Swizzle::b32, Swizzle::b64, Swizzle::b128}) {
    const SharedLayout staging = SharedLayout::swizzled({64, 64}, 1, 2, swizzle);
    CHECK(bank_conflicts(*plan_matrix_move(f, staging), staging, 4).conflict_free());
  }
  const SharedLayout plain = SharedLayout::plain({64, 64}, 1, 2), padded = SharedLayout::plain({64, 64}, 1, 2, 16);
  CHECK(bank_conflicts(*plan_matrix_move(f, plain), plain, 4).wavefronts == 32);
  CHECK(bank_conflicts(*plan_matrix_move(f, padded), padded, 4).conflict_free());
}
