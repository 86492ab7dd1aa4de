// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entries that are cut, flipped, swapped or no entries at all: a miss, one warning, a compile, and a sound entry after.
#include <random>

#include <catch2/catch.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include "test/runtime/cache/sample.h"

using namespace tegula;
using namespace tegula::sample;

namespace {

/// Puts `bytes` where the entry of `name` belongs; then a new cache must compile, and the next one must hit.
void check_rebuilt(const std::string &folder, std::string_view name, std::string_view bytes) {
  write_file(entry_path(folder, name), bytes);
  Warnings warnings;
  KernelCache first = open_cache(folder, {.warn = warnings.sink()});
  REQUIRE(ask(first, name, "rebuilt"));
  REQUIRE(first.counts().compiles == 1);
  REQUIRE(warnings.lines().size() <= 1);
  KernelCache second = open_cache(folder);
  REQUIRE(ask(second, name));
  REQUIRE(second.counts().disk_hits == 1);
}

std::string flipped(std::string bytes, size_t bit) {
  bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ 1 << bit % 8);
  return bytes;
}

} // namespace

TEST_CASE("cache-07: an entry cut at every length is compiled anew and replaced") {
  Folder folder;
  std::string whole = encode_entry(key("k"), kernel("k"));
  for (size_t size = 0; size < whole.size(); ++size)
    check_rebuilt(folder.path(), "k", std::string_view(whole).substr(0, size));
}

TEST_CASE("cache-07: a large entry cut at some lengths, or longer by a byte, is compiled anew") {
  Folder folder;
  std::string whole = encode_entry(key("k"), kernel("k", "w", 1 << 20));
  for (size_t size : {size_t{1}, size_t{4095}, size_t{4096}, size_t{65535}, size_t{65536}, whole.size() / 2,
                      whole.size() - 17, whole.size() - 16, whole.size() - 1})
    check_rebuilt(folder.path(), "k", std::string_view(whole).substr(0, size));
  check_rebuilt(folder.path(), "k", whole + "x");
}

TEST_CASE("cache-07: one bit flipped at each of 100 places is found") {
  Folder folder;
  std::string whole = encode_entry(key("k"), kernel("k"));
  std::mt19937 random(7);
  for (int i = 0; i < 100; ++i)
    check_rebuilt(folder.path(), "k", flipped(whole, random() % (8 * whole.size())));
}

TEST_CASE("cache-07: every single bit of a small entry is covered by a check") {
  std::string whole = encode_entry(key("k"), kernel("k"));
  REQUIRE(decode_entry(whole).ok());
  for (size_t bit = 0; bit < 8 * whole.size(); ++bit)
    CHECK_FALSE(decode_entry(flipped(whole, bit)).ok());
}

TEST_CASE("cache-07: empty metadata is metadata, an empty image is damage") {
  Folder folder;
  KernelCache cache = open_cache(folder.path());
  CachedKernel bare{CachedImageKind::ptx, "", ".version 8.7"};
  REQUIRE(cache.get_or_compile(key("bare"), [&] { return bare; }).ok());
  KernelCache next = open_cache(folder.path());
  REQUIRE(next.find(key("bare")));
  CHECK(next.find(key("bare"))->kernel == bare);
  check_rebuilt(folder.path(), "k", encode_entry(key("k"), {CachedImageKind::cubin, "m", ""}));
}

TEST_CASE("cache-07: damage is warned of once, with the path, and verify finds each") {
  Folder folder;
  Warnings warnings;
  KernelCache cache = open_cache(folder.path(), {.warn = warnings.sink()});
  for (std::string name : {"a", "b", "c"})
    write_file(entry_path(folder.path(), name), "nothing of the kind");
  REQUIRE(cache.verify()->damaged.size() == 3);
  for (std::string name : {"a", "b", "c"})
    REQUIRE(ask(cache, name));
  REQUIRE(warnings.lines().size() == 1);
  CHECK_THAT(warnings.lines()[0], Catch::Contains(entry_path(folder.path(), "a")) && Catch::Contains("damaged"));
  CHECK(cache.verify()->damaged.empty());
  CHECK(cache.verify()->sound == 3);
}

TEST_CASE("an entry under another key's name does not serve that key") {
  Folder folder;
  check_rebuilt(folder.path(), "k", encode_entry(key("other"), kernel("other")));
}

TEST_CASE("an entry of another version of the format is replaced without a warning") {
  Folder folder;
  std::string bytes = encode_entry(key("k"), kernel("k"));
  bytes[8] = 2;
  write_file(entry_path(folder.path(), "k"), bytes);
  Warnings warnings;
  KernelCache cache = open_cache(folder.path(), {.warn = warnings.sink()});
  REQUIRE(ask(cache, "k"));
  CHECK(cache.counts().compiles == 1);
  CHECK(warnings.lines().empty());
  CHECK(decode_entry(read_file(entry_path(folder.path(), "k"))).ok());
}

TEST_CASE("a size in a header is not believed: no memory is taken for it") {
  std::string bytes = encode_entry(key("k"), kernel("k"));
  for (size_t at : {32, 40, 48}) {
    std::string huge = bytes;
    for (size_t i = 0; i < 8; ++i)
      huge[at + i] = static_cast<char>(0xff);
    CHECK_FALSE(decode_entry(huge).ok());
    huge[at + 7] = 0x3f;
    CHECK_FALSE(decode_entry(huge).ok());
  }
  Folder folder;
  std::string path = entry_path(folder.path(), "k");
  write_file(path, bytes);
  REQUIRE(::truncate(path.c_str(), int64_t{1} << 40) == 0);
  KernelCache cache = open_cache(folder.path());
  CHECK(ask(cache, "k"));
  CHECK(cache.counts().compiles == 1);
}

TEST_CASE("a pipe or a folder in an entry's place holds nobody up") {
  Folder folder;
  Warnings warnings;
  write_file(entry_path(folder.path(), "pipe"), "");
  REQUIRE(::unlink(entry_path(folder.path(), "pipe").c_str()) == 0);
  REQUIRE(::mkfifo(entry_path(folder.path(), "pipe").c_str(), 0666) == 0);
  write_file(entry_path(folder.path(), "folder") + "/x", "");
  KernelCache cache = open_cache(folder.path(), {.warn = warnings.sink()});
  CHECK(ask(cache, "pipe"));
  CHECK(ask(cache, "folder"));
  CHECK(cache.counts().compiles == 2);
  CHECK(decode_entry(read_file(entry_path(folder.path(), "pipe"))).ok());
}
