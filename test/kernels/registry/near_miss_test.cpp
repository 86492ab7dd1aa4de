// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Suggestions for mistyped names.
#include <catch2/catch.hpp>

#include "kernels/naming/near_miss.h"

using namespace tegula;

namespace {
constexpr std::string_view kNames[] = {"gemm", "softmax", "m"};
}

TEST_CASE("a slip of one letter is recognised") {
  CHECK(near_miss("gem", kNames) == "; did you mean 'gemm'?");
  CHECK(near_miss("sofmtax", kNames) == "; did you mean 'softmax'?");
}

TEST_CASE("a name that is far from all gives no suggestion") {
  CHECK(near_miss("attention", kNames).empty());
  CHECK(near_miss("", {}).empty());
}
