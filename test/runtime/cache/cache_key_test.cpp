// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a key tells apart and what it does not.
#include <algorithm>
#include <set>

#include <catch2/catch.hpp>

#include "runtime/cache/cache_key.h"

using namespace tegula;

namespace {

using Parts = std::vector<KeyPart>;

Parts parts() {
  return {{"kernel", "ir"}, {"schedule", "s"}, {"target", "sm_90a"}, {"compiler", "c 1"}, {"assembler", "ptxas 13.0"}};
}

std::string hex_with(const std::string &name, const std::string &value) {
  Parts all = parts();
  for (KeyPart &part : all)
    if (part.name == name)
      part.value = value;
  return CacheKey::of(all)->hex();
}

} // namespace

TEST_CASE("cache-08: assembler, compiler, flags and target each make another key") {
  Parts with_flags = parts();
  with_flags.push_back({"flags", "-O1"});
  std::set<std::string> keys = {CacheKey::of(parts())->hex(),    hex_with("assembler", "ptxas 13.1"),
                                hex_with("compiler", "c 2"),     hex_with("target", "sm_100a"),
                                CacheKey::of(with_flags)->hex(), hex_with("kernel", "ir2"),
                                hex_with("schedule", "t")};
  CHECK(keys.size() == 7);
}

TEST_CASE("cache-09: the order in which parts are named is no part of the key") {
  Parts reversed = parts();
  std::ranges::reverse(reversed);
  CHECK(*CacheKey::of(reversed) == *CacheKey::of(parts()));
  CHECK(CacheKey::of(reversed)->hex() == CacheKey::of(parts())->hex());
}

TEST_CASE("a key's text does not move between its parts") {
  CHECK(encode_parts(Parts{{"a", "bc"}}) != encode_parts(Parts{{"ab", "c"}}));
  CHECK(encode_parts(Parts{{"a", ""}, {"b", ""}}) != encode_parts(Parts{{"a", "b"}}));
}

TEST_CASE("a key says at once all that is wrong with its parts") {
  Result<CacheKey> key = CacheKey::of({{"kernel", "ir"}, {"kernel", "ir"}, {"target", ""}, {"", "x"}});
  REQUIRE(!key.ok());
  CHECK(key.error().code() == ErrorCode::bad_argument);
  for (const char *complaint :
       {"part 'schedule' is missing", "part 'compiler' is missing", "part 'assembler' is missing",
        "part 'target' is empty", "part 'kernel' is given twice", "the part with value 'x' has no name"})
    CHECK_THAT(key.error().message(), Catch::Contains(complaint));
}

TEST_CASE("a kernel without a schedule has a key") { CHECK(hex_with("schedule", "").size() == 32); }

TEST_CASE("a digest survives its text, and nothing else is one") {
  Digest digest = digest_of("tile");
  CHECK(parse_digest(hex(digest)) == digest);
  CHECK(hex(Digest{0x0123456789abcdef, 0xfedcba9876543210}) == "0123456789abcdeffedcba9876543210");
  CHECK_FALSE(parse_digest("0123456789ABCDEFfedcba9876543210"));
  CHECK_FALSE(parse_digest("0123456789abcdeffedcba987654321"));
  CHECK_FALSE(parse_digest("0123456789abcdeffedcba9876543210 "));
}

TEST_CASE("parts cut at any length are refused") {
  std::string bytes = encode_parts(CacheKey::of(parts())->parts());
  for (size_t size = 0; size < bytes.size(); ++size)
    CHECK_FALSE(decode_parts(std::string_view(bytes).substr(0, size)).ok());
  CHECK_FALSE(decode_parts(bytes + "x").ok());
  CHECK(decode_parts(bytes).ok());
}
