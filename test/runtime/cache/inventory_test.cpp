// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `tegula cache path|list|verify|clear` is made of.
#include <algorithm>
#include <filesystem>

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <sys/stat.h>

#include "test/runtime/cache/sample.h"

using namespace tegula;
using namespace tegula::sample;

TEST_CASE("a cache that isn't there holds nothing, and looking does not make it") {
  Folder folder;
  KernelCache cache = open_cache(folder / "none");
  CHECK(cache.directory().path == folder / "none");
  CHECK(cache.list()->empty());
  CHECK(cache.verify()->sound == 0);
  CHECK(cache.clear()->removed == 0);
  CHECK_FALSE(std::filesystem::exists(folder / "none"));
}

TEST_CASE("without a folder there are no entries") {
  KernelCache cache = KernelCache::open(Environment());
  REQUIRE(ask(cache, "k"));
  CHECK(cache.list()->empty());
  CHECK(cache.verify()->sound == 0);
  CHECK(cache.clear().ok());
  CHECK_FALSE(cache.find_in_memory(key("k")));
}

TEST_CASE("list tells each entry's parts, kind and size") {
  Folder folder;
  KernelCache cache = open_cache(folder.path());
  REQUIRE(ask(cache, "a"));
  REQUIRE(cache.get_or_compile(key("b"), [] { return CachedKernel{CachedImageKind::ptx, "{}", ".version 8.7"}; }).ok());
  std::vector<EntryInfo> entries = *cache.list();
  REQUIRE(entries.size() == 2);
  for (const EntryInfo &entry : entries) {
    bool is_a = entry.key == key("a").hex();
    CHECK(entry.path == entry_path(folder.path(), is_a ? "a" : "b"));
    CHECK(entry.kind == (is_a ? CachedImageKind::cubin : CachedImageKind::ptx));
    CHECK(entry.bytes == file_bytes(entry.path));
    CHECK(entry.damage.empty());
    CacheKey expected = key(is_a ? "a" : "b");
    CHECK(std::ranges::equal(entry.parts, expected.parts()));
  }
}

TEST_CASE("list shows the entry used last first") {
  Folder folder;
  KernelCache cache = open_cache(folder.path());
  for (std::string name : {"a", "b", "c"})
    REQUIRE(ask(cache, name));
  struct timespec times[2] = {{5000, 0}, {5000, 0}};
  REQUIRE(::utimensat(AT_FDCWD, entry_path(folder.path(), "b").c_str(), times, 0) == 0);
  CHECK(cache.list()->back().key == key("b").hex());
}

TEST_CASE("verify names damaged entries and counts sound ones; list says what a header shows") {
  Folder folder;
  KernelCache cache = open_cache(folder.path());
  for (std::string name : {"a", "b", "c"})
    REQUIRE(ask(cache, name));
  std::string bytes = read_file(entry_path(folder.path(), "b"));
  bytes[bytes.size() - 40] ^= 1; // In the image: only the checksum knows.
  write_file(entry_path(folder.path(), "b"), bytes);
  write_file(entry_path(folder.path(), "x"), read_file(entry_path(folder.path(), "c")));
  std::filesystem::remove(entry_path(folder.path(), "c"));
  VerifyReport report = *cache.verify();
  CHECK(report.sound == 1);
  CHECK(report.bytes == file_bytes(entry_path(folder.path(), "a")));
  REQUIRE(report.damaged.size() == 2);
  for (const EntryInfo &entry : report.damaged)
    CHECK(entry.damage ==
          (entry.key == key("b").hex() ? "its checksum does not match" : "it lies under another key's name"));
  CHECK(cache.list()->size() == 3);
}

TEST_CASE("clear removes entries and leftovers, and nothing that is not the cache's") {
  Folder folder;
  KernelCache cache = open_cache(folder.path());
  for (std::string name : {"a", "b", "c"})
    REQUIRE(ask(cache, name));
  write_file(folder / "notes.txt", "mine");
  write_file(folder / "ab/notes.tgk", "mine");
  write_file(folder / "src/0123456789abcdef0123456789abcd.tgk", "mine");
  write_file(folder / "ab/.tmp-left", "dead");
  std::shared_ptr<const CacheEntry> held = cache.find(key("a"));
  ClearReport report = *cache.clear();
  CHECK(report.removed == 3);
  CHECK(report.kept.empty());
  CHECK(is_whole(held->kernel, "a"));
  CHECK_FALSE(cache.find(key("a")));
  CHECK(read_file(folder / "notes.txt") == "mine");
  CHECK(read_file(folder / "ab/notes.tgk") == "mine");
  CHECK(read_file(folder / "src/0123456789abcdef0123456789abcd.tgk") == "mine");
  CHECK(count_temporaries(folder.path()) == 0);
  CHECK(cache.list()->empty());
  CHECK(ask(cache, "a"));
  CHECK(cache.list()->size() == 1);
}

TEST_CASE("a folder that can't be read is an error for those who look, with its name") {
  Folder folder;
  write_file(folder / "file", "x");
  KernelCache cache = open_cache(folder / "file");
  REQUIRE(!cache.list().ok());
  CHECK(cache.list().error().code() == ErrorCode::io_error);
  CHECK_THAT(cache.verify().error().message(), Catch::Contains(folder / "file"));
  CHECK(!cache.clear().ok());
}
