// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The JIT's options: text form and what enters the cache key.
#include <catch2/catch.hpp>

#include "compiler/jit/options.h"

using namespace tegula;

TEST_CASE("options are set by name") {
  JitOptions options;
  CHECK(set_option(options, "assemble", "false").ok());
  CHECK(set_option(options, "cache_bytes", "1024").ok());
  CHECK_FALSE(options.assemble);
  CHECK(options.cache_bytes == 1024);
}

TEST_CASE("an unknown option and a value of the wrong type are named") {
  JitOptions options;
  CHECK(set_option(options, "asemble", "1").error().message() ==
        "no JIT option 'asemble'; there are arch, debug, assemble, ptxas, cache_directory, cache_bytes");
  CHECK(set_option(options, "cache_bytes", "big").error().message() == "cache_bytes is 'big', which is no int64_t");
}

TEST_CASE("cache-09 what cannot change the code is not in the key") {
  JitOptions options, elsewhere;
  elsewhere.cache_directory = "/somewhere/else";
  elsewhere.cache_bytes = 1;
  CHECK(key_text(options) == key_text(elsewhere));
}

TEST_CASE("cache-08 what can change the code is in the key") {
  JitOptions options, other;
  other.debug = "none";
  CHECK(key_text(options) != key_text(other));
}
