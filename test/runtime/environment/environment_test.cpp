// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The environment as doctor lists it.
#include <cstdlib>

#include <catch2/catch.hpp>

#include "runtime/environment/environment.h"

namespace tegula {
namespace {

TEST_CASE("environment: a variable is given, an empty one counts as not set") {
  setenv("TEGULA_CACHE_DIR", "/tmp/x", 1);
  CHECK(read_environment().cache_dir == "/tmp/x");
  setenv("TEGULA_CACHE_DIR", "", 1);
  CHECK_FALSE(read_environment().cache_dir);
  unsetenv("TEGULA_CACHE_DIR");
}

TEST_CASE("environment: the list has every variable with its meaning") {
  auto list = list_environment();
  CHECK(list.size() == 7);
  for (const EnvironmentVariable &variable : list)
    CHECK_FALSE(variable.meaning.empty());
}

} // namespace
} // namespace tegula
