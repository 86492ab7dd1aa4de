// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several processes on one cache: one compiles, the dead free their locks, the forked go on.
#include <atomic>
#include <csignal>
#include <thread>

#include <catch2/catch.hpp>

#include <unistd.h>

#include "test/runtime/cache/sample.h"

using namespace tegula;
using namespace tegula::sample;

namespace {

/// Starts `count` processes at once, each of which asks for `name` in a cache of its own. \returns how many failed.
int failures_of(int count, const std::string &folder, std::string_view name, const std::string &log) {
  Gate gate;
  std::vector<pid_t> children;
  for (int i = 0; i < count; ++i)
    children.push_back(start_child([&] {
      gate.wait();
      KernelCache cache = open_cache(folder);
      return ask(cache, name, std::to_string(::getpid()), log) ? 0 : 1;
    }));
  gate.open();
  int failures = 0;
  for (pid_t child : children)
    failures += wait_child(child) != 0;
  return failures;
}

} // namespace

TEST_CASE("cache-01: 16 processes released together on an empty cache: all succeed, one compile") {
  Folder folder;
  CHECK(failures_of(16, folder / "cache", "k", folder / "log") == 0);
  CHECK(file_bytes(folder / "log") == 1);
}

TEST_CASE("cache-10: an explicit compile in a second process is a hit") {
  Folder folder;
  for (int i = 0; i < 2; ++i)
    CHECK(in_child([&] {
            KernelCache cache = open_cache(folder / "cache");
            return ask(cache, "k", "w", folder / "log") ? 0 : 1;
          }) == 0);
  CHECK(file_bytes(folder / "log") == 1);
}

TEST_CASE("cache-14: killed at each step of a compile; four processes then finish by themselves") {
  for (int at = 0;; ++at) {
    Folder folder;
    int status = in_child([&] {
      // A sweep looks into 256 folders; the first few stand for all.
      int step = 0, folders = 0;
      KernelCache cache = open_cache(folder / "cache", {.before_step = [&](IoStep now) {
                                       bool counts = now != IoStep::open_directory || ++folders < 6;
                                       if (counts && step++ == at)
                                         ::kill(::getpid(), SIGKILL);
                                       return 0;
                                     }});
      return ask(cache, "k", "victim", "", 200000) ? 0 : 1;
    });
    REQUIRE((status == -SIGKILL || status == 0));
    REQUIRE(failures_of(4, folder / "cache", "k", folder / "log") == 0);
    REQUIRE(file_bytes(folder / "log") <= 1);
    KernelCache cache = open_cache(folder / "cache");
    REQUIRE(cache.verify()->damaged.empty());
    REQUIRE(cache.clear().ok());
    REQUIRE(count_temporaries(folder / "cache") == 0);
    if (status == 0)
      break;
  }
}

TEST_CASE("cache-14: killed inside the compiler while others wait: one of them takes over") {
  Folder folder;
  Gate started;
  pid_t victim = start_child([&] {
    KernelCache cache = open_cache(folder / "cache");
    (void)cache.get_or_compile(key("k"), [&]() -> Result<CachedKernel> {
      write_file(folder / "inside", "x");
      for (;;)
        ::pause();
    });
    return 1;
  });
  while (file_bytes(folder / "inside") == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::thread killer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ::kill(victim, SIGKILL);
  });
  CHECK(failures_of(4, folder / "cache", "k", folder / "log") == 0);
  killer.join();
  CHECK(wait_child(victim) == -SIGKILL);
  CHECK(file_bytes(folder / "log") == 1);
}

TEST_CASE("a stopped process (SIGSTOP) that holds the lock delays the others by the longest wait, no more") {
  Folder folder;
  pid_t stopped = start_child([&] {
    KernelCache cache = open_cache(folder / "cache");
    (void)cache.get_or_compile(key("k"), [&]() -> Result<CachedKernel> {
      write_file(folder / "inside", "x");
      for (;;)
        ::pause();
    });
    return 1;
  });
  while (file_bytes(folder / "inside") == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ::kill(stopped, SIGSTOP);
  KernelCache cache = open_cache(folder / "cache", {.longest_wait = std::chrono::milliseconds(30)});
  CHECK(ask(cache, "k"));
  CHECK(cache.counts().compiles == 1);
  ::kill(stopped, SIGKILL);
  CHECK(wait_child(stopped) == -SIGKILL);
}

TEST_CASE("cache-13: after a look at the cache a forked child compiles and finds") {
  Folder folder;
  KernelCache cache = open_cache(folder / "cache");
  (void)cache.directory();
  REQUIRE(cache.list().ok());
  REQUIRE(cache.verify().ok());
  CHECK_FALSE(cache.find(key("k")));
  CHECK(in_child([&] { return ask(cache, "k") && cache.counts().compiles == 1 ? 0 : 1; }) == 0);
  CHECK(ask(cache, "k"));
  CHECK(cache.counts().disk_hits == 1);
}

TEST_CASE("cache-13: a child forked in the middle of another thread's compile waits for the parent, then hits") {
  Folder folder;
  KernelCache cache = open_cache(folder / "cache");
  std::atomic<bool> inside = false, go_on = false;
  std::thread compiler([&] {
    (void)cache.get_or_compile(key("k"), [&] {
      inside = true;
      while (!go_on)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return kernel("k");
    });
  });
  while (!inside)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  pid_t child = start_child([&] {
    bool other = ask(cache, "other"); // Nothing of the parent's locks is in the way.
    write_file(folder / "other-done", "x");
    return other && ask(cache, "k") && cache.counts().disk_hits == 1 ? 0 : 1;
  });
  while (file_bytes(folder / "other-done") == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  go_on = true;
  compiler.join();
  CHECK(wait_child(child) == 0);
}

TEST_CASE("a lock is free once its holder is done, though a child forked meanwhile lives on") {
  Folder folder;
  KernelCache cache = open_cache(folder / "cache");
  Gate end;
  pid_t child = 0;
  Result<CacheAnswer> failed = cache.get_or_compile(key("k"), [&]() -> Result<CachedKernel> {
    child = start_child([&] { return end.wait(), 0; });
    return Error(ErrorCode::internal, "fails");
  });
  REQUIRE(!failed.ok());
  // Another cache, so that only the lock in the folder could stand in the way; if it did, it would be for ever.
  KernelCache next = open_cache(folder / "cache", {.longest_wait = std::chrono::hours(1)});
  CHECK(ask(next, "k"));
  end.open();
  CHECK(wait_child(child) == 0);
}
