// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One process and its threads: what is found where, and what a compile may do.
#include <atomic>
#include <stdexcept>
#include <thread>

#include <catch2/catch.hpp>

#include "runtime/cache/key_lock.h"
#include "test/runtime/cache/sample.h"

using namespace tegula;
using namespace tegula::sample;

namespace {

Result<CachedKernel> never() { return Error(ErrorCode::internal, "compiled though it should not be"); }

} // namespace

TEST_CASE("a kernel comes from the compiler, then from memory, then, in a new cache, from disk") {
  Folder folder;
  KernelCache cache = open_cache(folder.path());
  CHECK(cache.get_or_compile(key("k"), [] { return kernel("k"); })->source == CacheSource::compiled);
  CHECK(cache.get_or_compile(key("k"), never)->source == CacheSource::memory);
  KernelCache next = open_cache(folder.path());
  CHECK(next.get_or_compile(key("k"), never)->source == CacheSource::disk);
  CHECK(next.find(key("k"))->kernel == kernel("k"));
  CHECK(next.find(key("k"))->key == key("k"));
}

TEST_CASE("looking for a kernel compiles nothing and opens no file where memory is asked") {
  Folder folder;
  KernelCache first = open_cache(folder.path());
  REQUIRE(ask(first, "k"));
  int steps = 0;
  KernelCache cache = open_cache(folder.path(), {.before_step = [&](IoStep) { return ++steps, 0; }});
  CHECK_FALSE(cache.find_in_memory(key("k")));
  CHECK(steps == 0);
  CHECK(cache.find(key("k")));
  CHECK_FALSE(cache.find(key("other")));
  int after = steps;
  CHECK(cache.find_in_memory(key("k")));
  CHECK(cache.find(key("k")));
  CHECK(steps == after);
  CHECK(cache.counts().compiles == 0);
}

TEST_CASE("launch-05: 1000 calls for one kernel: no compile and no file access after the first") {
  Folder folder;
  int steps = 0;
  KernelCache cache = open_cache(folder.path(), {.before_step = [&](IoStep) { return ++steps, 0; }});
  REQUIRE(ask(cache, "k"));
  int after_first = steps;
  for (int i = 0; i < 1000; ++i)
    REQUIRE(cache.get_or_compile(key("k"), never).ok());
  CHECK(steps == after_first);
  CHECK(cache.counts().compiles == 1);
  CHECK(cache.counts().memory_hits == 1000);
}

TEST_CASE("a failed compile is handed on and not kept") {
  Folder folder;
  KernelCache cache = open_cache(folder.path());
  Result<CacheAnswer> failed = cache.get_or_compile(
      key("k"), []() -> Result<CachedKernel> { return Error(ErrorCode::unsupported, "no such instruction"); });
  REQUIRE(!failed.ok());
  CHECK(failed.error().code() == ErrorCode::unsupported);
  CHECK(failed.error().message() == "no such instruction");
  CHECK(ask(cache, "k"));
  CHECK(cache.counts().compiles == 1);
}

TEST_CASE("a compile that throws, gives nothing or asks for its own kernel is an error, and the next one works") {
  Folder folder;
  KernelCache cache = open_cache(folder.path());
  auto code_of = [&](const KernelCache::Compile &compile) {
    Result<CacheAnswer> answer = cache.get_or_compile(key("k"), compile);
    return answer.ok() ? ErrorCode::bad_argument : answer.error().code();
  };
  CHECK(code_of([]() -> Result<CachedKernel> { throw std::runtime_error("out of luck"); }) == ErrorCode::internal);
  CHECK(code_of([] { return CachedKernel(); }) == ErrorCode::internal);
  CHECK(code_of([&]() -> Result<CachedKernel> {
          TEGULA_TRY(CacheAnswer own, cache.get_or_compile(key("k"), never));
          return own.entry->kernel;
        }) == ErrorCode::internal);
  CHECK(ask(cache, "k"));
}

TEST_CASE("a compile may ask for another kernel") {
  Folder folder;
  KernelCache cache = open_cache(folder.path());
  Result<CacheAnswer> answer = cache.get_or_compile(key("outer"), [&]() -> Result<CachedKernel> {
    TEGULA_TRY(CacheAnswer inner, cache.get_or_compile(key("inner"), [] { return kernel("inner"); }));
    return kernel("outer");
  });
  REQUIRE(answer.ok());
  CHECK(is_whole(answer->entry->kernel, "outer"));
  CHECK(cache.find_in_memory(key("inner")));
}

TEST_CASE("two kernels whose compiles ask for each other crosswise end, by the longest wait") {
  Folder folder;
  KernelCache cache = open_cache(folder.path(), {.longest_wait = std::chrono::milliseconds(50)});
  std::atomic<int> inside = 0, right = 0;
  auto crosswise = [&](std::string own, std::string other) {
    Result<CacheAnswer> answer = cache.get_or_compile(key(own), [&]() -> Result<CachedKernel> {
      ++inside;
      while (inside < 2)
        std::this_thread::yield();
      right += ask(cache, other);
      return kernel(own);
    });
    right += answer.ok() && is_whole(answer->entry->kernel, own);
  };
  std::thread a([&] { crosswise("a", "b"); }), b([&] { crosswise("b", "a"); });
  a.join();
  b.join();
  CHECK(right == 4);
}

TEST_CASE("cache-01: 32 threads that want one kernel at once compile it once and get the same entry") {
  Folder folder;
  KernelCache cache = open_cache(folder.path());
  std::atomic<int> compiles = 0, there = 0;
  std::vector<std::shared_ptr<const CacheEntry>> entries(32);
  std::vector<std::thread> threads;
  for (auto &entry : entries)
    threads.emplace_back([&] {
      ++there;
      while (there < 32)
        std::this_thread::yield();
      entry = cache
                  .get_or_compile(key("k"),
                                  [&] {
                                    ++compiles;
                                    std::this_thread::sleep_for(std::chrono::milliseconds(20));
                                    return kernel("k");
                                  })
                  ->entry;
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(compiles == 1);
  for (auto &entry : entries)
    CHECK(entry == entries[0]);
}

TEST_CASE("threads that waited for a compile that fails share its error; a later call compiles") {
  KernelCache cache = open_cache("", {.max_bytes = 0});
  std::atomic<int> compiles = 0, failures = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      failures += !cache
                       .get_or_compile(key("k"),
                                       [&]() -> Result<CachedKernel> {
                                         ++compiles;
                                         std::this_thread::sleep_for(std::chrono::milliseconds(50));
                                         return Error(ErrorCode::internal, "fails");
                                       })
                       .ok();
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(failures == 8);
  CHECK(compiles >= 1);
  CHECK(ask(cache, "k"));
}

TEST_CASE("max_bytes of 0 keeps kernels in memory alone, without a warning") {
  Folder folder;
  Warnings warnings;
  KernelCache cache = open_cache(folder.path(), {.max_bytes = 0, .warn = warnings.sink()});
  CHECK(ask(cache, "k"));
  CHECK(cache.find(key("k")));
  CHECK(cache.directory().path.empty());
  CHECK(warnings.lines().empty());
  CHECK(file_bytes(entry_path(folder.path(), "k")) == 0);
}

TEST_CASE("a lock that is held too long by somebody else is not waited for for ever") {
  Folder folder;
  FileSystem files({});
  KeyLock other(files, folder.path(), LockSlot::of_key(key("k").digest()));
  REQUIRE(other.attempt() == KeyLock::State::held);
  KernelCache cache = open_cache(folder.path(), {.longest_wait = std::chrono::milliseconds(20)});
  CHECK(ask(cache, "k"));
  CHECK(cache.counts().compiles == 1);
  CHECK(decode_entry(read_file(entry_path(folder.path(), "k"))).ok());
}

TEST_CASE("whoever waits for a lock takes the entry as soon as it is there, lock or no lock") {
  Folder folder;
  FileSystem files({});
  KeyLock other(files, folder.path(), LockSlot::of_key(key("k").digest()));
  REQUIRE(other.attempt() == KeyLock::State::held);
  int tries = 0;
  KernelCache cache = open_cache(folder.path(), {.before_step = [&](IoStep step) {
                                   if (step == IoStep::lock && ++tries == 3)
                                     write_file(entry_path(folder.path(), "k"), encode_entry(key("k"), kernel("k")));
                                   return 0;
                                 }});
  CHECK(cache.get_or_compile(key("k"), never)->source == CacheSource::disk);
}

TEST_CASE("cache-12: 32 threads use one kernel while another clears the cache all the time") {
  Folder folder;
  KernelCache cache = open_cache(folder.path());
  std::atomic<bool> stop = false;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 32; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        Result<CacheAnswer> answer = cache.get_or_compile(key("k"), [] { return kernel("k"); });
        std::this_thread::yield();
        wrong += !answer.ok() || !is_whole(answer->entry->kernel, "k");
      }
    });
  std::thread clearer([&] {
    while (!stop) {
      wrong += !cache.clear().ok();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  for (std::thread &thread : threads)
    thread.join();
  stop = true;
  clearer.join();
  CHECK(wrong == 0);
}
