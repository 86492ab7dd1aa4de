// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel cache under fire, by fixed numbers of processes and rounds: no wrong kernel, no compile too many, no
// process that hangs (each is killed by its alarm, and that counts as a failure).
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <random>

#include <unistd.h>

#include <fmt/format.h>

#include "runtime/cache/disk_store.h"
#include "test/runtime/cache/sample.h"

using namespace tegula;
using namespace tegula::sample;

namespace {

/// 64 processes on one cold key: all get it, one compiles.
int one_cold_key() {
  Folder folder;
  Gate gate;
  std::vector<pid_t> children;
  for (int i = 0; i < 64; ++i)
    children.push_back(start_child([&] {
      gate.wait();
      KernelCache cache = open_cache(folder / "cache");
      return ask(cache, "k", std::to_string(::getpid()), folder / "log", 100000) ? 0 : 1;
    }));
  gate.open();
  int failures = 0;
  for (pid_t child : children)
    failures += wait_child(child) != 0;
  int64_t compiles = file_bytes(folder / "log");
  std::printf("64 processes, one cold key: %d failed, %d compiled\n", failures, static_cast<int>(compiles));
  return failures + (compiles != 1);
}

/// Writers replace one large entry again and again and are killed at a random moment; readers look all the while.
int killed_writers() {
  Folder folder;
  std::mt19937 random(1);
  int wrong = 0, kills = 0;
  int64_t sightings = 0;
  KernelCache first = open_cache(folder.path());
  wrong += !ask(first, "k"); // So that readers find something however late the first writer starts.
  for (int round = 0; round < 300; ++round) {
    pid_t victim = start_child([&] {
      DiskStore store({.path = folder.path()}, 1 << 30, {});
      for (int i = 0;; ++i)
        if (!store.publish(key("k"), kernel("k", std::to_string(i % 7), 200'000 + i % 7 * 150'000)).ok())
          return 1;
    });
    ::usleep(500 + random() % 8000);
    for (int look = 0; look < 3; ++look) {
      Warnings warnings;
      KernelCache reader = open_cache(folder.path(), {.warn = warnings.sink()});
      std::shared_ptr<const CacheEntry> found = reader.find(key("k"));
      wrong += (found && !is_whole(found->kernel, "k")) || !warnings.lines().empty();
      sightings += found != nullptr;
    }
    ::kill(victim, SIGKILL);
    kills += wait_child(victim) == -SIGKILL;
  }
  KernelCache cache = open_cache(folder.path());
  wrong += !ask(cache, "k") || !cache.verify().ok() || !cache.verify()->damaged.empty();
  int64_t left = count_temporaries(folder.path());
  wrong += !cache.clear().ok() || count_temporaries(folder.path()) != 0;
  std::printf("%d writers killed: %d wrong, %d whole entries seen, %d temporaries left and cleared\n", kills, wrong,
              static_cast<int>(sightings), static_cast<int>(left));
  return wrong + (kills != 300) + (sightings != 900);
}

/// Flips a bit in, cuts or empties some entry in place, as no well-behaved program would.
void damage_one(const std::string &path, std::mt19937 &random) {
  std::string bytes = read_file(path);
  if (bytes.empty())
    return;
  switch (random() % 3) {
  case 0: bytes[random() % bytes.size()] ^= 1 << random() % 8; break;
  case 1: bytes.resize(random() % bytes.size()); break;
  default: bytes.clear();
  }
  write_file(path, bytes);
}

int use(const std::string &folder, int seed) {
  std::mt19937 random(static_cast<unsigned>(seed));
  for (int i = 0; i < 150; ++i) {
    KernelCache cache = open_cache(folder, {.max_bytes = 400'000});
    std::string name = std::to_string(random() % 40);
    if (!ask(cache, name, std::to_string(seed), "", 1 + random() % 30000))
      return 1;
    if (seed == 0 && i % 10 == 0)
      damage_one(entry_path(folder, std::to_string(random() % 40)), random);
    if (seed == 1 && i % 30 == 0 && !cache.clear().ok())
      return 2;
    if (seed == 2 && i % 20 == 0 && (!cache.verify().ok() || !cache.list().ok()))
      return 3;
  }
  return 0;
}

/// Twelve processes read, write, evict, clear, list and damage one small cache.
int everything_at_once() {
  Folder folder;
  std::vector<pid_t> children;
  for (int i = 0; i < 12; ++i)
    children.push_back(start_child([&, i] { return use(folder.path(), i); }));
  int failures = 0;
  for (pid_t child : children)
    failures += wait_child(child) != 0;
  int64_t bytes = 0;
  KernelCache cache = open_cache(folder.path());
  Result<VerifyReport> report = cache.verify();
  failures += !report.ok() || count_temporaries(folder.path()) != 0;
  bytes = report.ok() ? report->bytes : 0;
  std::printf("12 processes on one small cache: %d failed, %d bytes in the end\n", failures, static_cast<int>(bytes));
  return failures + (bytes > 450'000);
}

} // namespace

int main() {
  int failures = one_cold_key();
  failures += killed_writers();
  failures += everything_at_once();
  std::printf("%s\n", failures == 0 ? "passed" : "FAILED");
  return failures == 0 ? 0 : 1;
}
