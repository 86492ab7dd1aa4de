// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bound on the folder's bytes: kept, least recently used first, whatever the account says.
#include <algorithm>

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "runtime/cache/cache_files.h"
#include "test/runtime/cache/sample.h"

using namespace tegula;
using namespace tegula::sample;

namespace {

/// Sets an entry's time of last use, in seconds since 1970.
void set_used(const std::string &path, int64_t seconds) {
  struct timespec times[2] = {{seconds, 0}, {seconds, 0}};
  REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
}

int64_t charged_total(const std::string &folder) {
  int64_t total = 0;
  walk_cache(FileSystem({}), folder,
             [&](const FoundFile &found) { total += SizeBound::charged_bytes(found.status.st_size); });
  return total;
}

bool exists(const std::string &folder, std::string_view name) {
  return ::access(entry_path(folder, name).c_str(), F_OK) == 0;
}

/// Fills a folder with entries "0", "1", … of two blocks each, entry i used at second i.
void fill(const std::string &folder, int count) {
  KernelCache cache = open_cache(folder);
  for (int i = 0; i < count; ++i) {
    REQUIRE(ask(cache, fmt::format("{}", i), "w", "", 5000));
    set_used(entry_path(folder, fmt::format("{}", i)), 1000 + i);
  }
}

} // namespace

TEST_CASE("cache-11: 100 000 entries, 64 MB: bounded, oldest first, a reader never sees half an entry") {
  Folder folder;
  FileSystem files({});
  KernelCache filler = open_cache(folder.path());
  REQUIRE(ask(filler, "recent"));
  REQUIRE(ask(filler, "old"));
  set_used(entry_path(folder.path(), "old"), 1000);
  // Names and lengths without contents: they are counted and evicted just so.
  for (uint64_t i = 0; i < 100'000; ++i) {
    EntryPlace place = EntryPlace::of({i << 56 | i, i * 0x9e3779b97f4a7c15u});
    std::string shard = folder / place.shard;
    (void)::mkdir(shard.c_str(), 0777);
    std::string path = shard + "/" + place.name;
    int fd = ::open(path.c_str(), O_WRONLY | O_CREAT, 0666);
    REQUIRE(::ftruncate(fd, 650) == 0);
    ::close(fd);
    set_used(path, static_cast<int64_t>(2000 + i));
  }
  REQUIRE(::unlink((folder / "cache.usage").c_str()) == 0);

  Gate gate;
  pid_t reader = start_child([&] {
    gate.wait();
    for (int i = 0; i < 3000; ++i) {
      Warnings warnings;
      KernelCache cache = open_cache(folder.path(), {.warn = warnings.sink()});
      std::shared_ptr<const CacheEntry> recent = cache.find(key("recent"));
      if (!recent || !is_whole(recent->kernel, "recent") || !warnings.lines().empty())
        return 1;
      // Read by hand: a use through the cache would save it from being evicted.
      std::string old = read_file(entry_path(folder.path(), "old"));
      if (!old.empty() && !decode_entry(old).ok())
        return 2;
    }
    return 0;
  });
  gate.open();
  constexpr int64_t kBound = 64'000'000;
  KernelCache cache = open_cache(folder.path(), {.max_bytes = kBound});
  REQUIRE(ask(cache, "new"));
  CHECK(wait_child(reader) == 0);
  CHECK(charged_total(folder.path()) <= kBound);
  CHECK(charged_total(folder.path()) > kBound * 8 / 10);
  CHECK(exists(folder.path(), "new"));
  CHECK(exists(folder.path(), "recent"));
  CHECK_FALSE(exists(folder.path(), "old"));
  // The survivors are the youngest: none is older than any that went.
  int64_t oldest = INT64_MAX, survivors = 0;
  walk_cache(files, folder.path(), [&](const FoundFile &found) {
    oldest = std::min<int64_t>(oldest, found.status.st_mtim.tv_sec);
    ++survivors;
  });
  CHECK(oldest == 2000 + 100'000 - (survivors - 2));
}

TEST_CASE("cache-11: entries used longest ago go first, and a use counts") {
  Folder folder;
  fill(folder.path(), 10);
  KernelCache user = open_cache(folder.path());
  REQUIRE(user.find(key("0")));
  KernelCache cache = open_cache(folder.path(), {.max_bytes = 10 * 8192});
  REQUIRE(ask(cache, "new", "w", "", 5000));
  // Eleven entries of two blocks; nine tenths of ten leave nine.
  CHECK(exists(folder.path(), "0"));
  CHECK_FALSE(exists(folder.path(), "1"));
  CHECK_FALSE(exists(folder.path(), "2"));
  CHECK(exists(folder.path(), "3"));
  CHECK(exists(folder.path(), "new"));
}

TEST_CASE("cache-11: the bound holds through 300 entries, with few walks over all of them") {
  Folder folder;
  int walks = 0;
  KernelCache cache = open_cache(folder.path(), {.max_bytes = 100 * 8192, .before_step = [&](IoStep step) {
                                                   walks += step == IoStep::open_directory;
                                                   return 0;
                                                 }});
  for (int i = 0; i < 300; ++i) {
    REQUIRE(ask(cache, fmt::format("{}", i), "w", "", 5000));
    REQUIRE(charged_total(folder.path()) <= 101 * 8192);
  }
  CHECK(exists(folder.path(), "299"));
  // One walk to begin with, then one for each tenth of the bound: 21; each opens 257 folders.
  CHECK(walks / 257 <= 24);
}

TEST_CASE("an account that is missing, damaged, long or absurd is put right") {
  for (std::string account : {std::string(), std::string("12345"), std::string(80000, '\0'), std::string(8, '\xff'),
                              std::string("\0\0\0\0\0\0\0\x7f", 8)}) {
    Folder folder;
    fill(folder.path(), 4);
    write_file(folder / "cache.usage", account);
    KernelCache cache = open_cache(folder.path(), {.max_bytes = 3 * 8192 + 4096});
    REQUIRE(ask(cache, "new", "w", "", 5000));
    CHECK(charged_total(folder.path()) <= 3 * 8192);
    CHECK(file_bytes(folder / "cache.usage") == 8);
    CHECK(exists(folder.path(), "new"));
  }
}

TEST_CASE("an entry that the bound has no room for stays in memory, with one warning") {
  Folder folder;
  fill(folder.path(), 2);
  Warnings warnings;
  KernelCache cache = open_cache(folder.path(), {.max_bytes = 65536, .warn = warnings.sink()});
  CHECK(ask(cache, "large", "w", "", 65536));
  CHECK(ask(cache, "large2", "w", "", 65536));
  CHECK(cache.find_in_memory(key("large")));
  CHECK_FALSE(exists(folder.path(), "large"));
  CHECK(exists(folder.path(), "0"));
  REQUIRE(warnings.lines().size() == 1);
  CHECK_THAT(warnings.lines()[0], Catch::Contains("leaves no room"));
}

TEST_CASE("a sweep removes what a dead writer left and spares what a live one writes") {
  Folder folder;
  fill(folder.path(), 1);
  std::string shard = entry_path(folder.path(), "0").substr(0, folder.path().size() + 3);
  write_file(shard + "/.tmp-dead", std::string(9000, 'x'));
  REQUIRE(::unlink((folder / "cache.usage").c_str()) == 0);
  KernelCache cache = open_cache(folder.path());
  bool swept = false;
  KernelCache writer = open_cache(folder.path(), {.before_step = [&](IoStep step) {
                                    if (step == IoStep::rename && !swept) {
                                      swept = true;
                                      (void)ask(cache, "b"); // Its account is missing: it sweeps.
                                    }
                                    return 0;
                                  }});
  REQUIRE(ask(writer, "a"));
  CHECK(swept);
  CHECK(exists(folder.path(), "a"));
  CHECK(::access((shard + "/.tmp-dead").c_str(), F_OK) != 0);
  CHECK(count_temporaries(folder.path()) == 0);
}
