// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Disks that are full, read-only, somebody else's or failing at any step: kernels run, one warning, nothing partial.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <optional>

#include <catch2/catch.hpp>

#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "runtime/cache/disk_store.h"
#include "test/runtime/cache/sample.h"

using namespace tegula;
using namespace tegula::sample;

namespace {

constexpr uid_t kNobody = 65534;
constexpr int kSkipped = 77;

/// Gives this process mounts of its own, which end with it. False where that is not allowed.
bool own_mounts() {
  return ::unshare(CLONE_NEWNS) == 0 && ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

bool become_nobody() { return ::getuid() != 0 || (::setgid(kNobody) == 0 && ::setuid(kNobody) == 0); }

/// Runs the job in a child; says so where the machine does not let it.
void check_in_child(const std::function<int()> &job, const char *needs) {
  int status = in_child(job);
  if (status == kSkipped)
    WARN("skipped: needs " << needs);
  else
    CHECK(status == 0);
}

#define EXPECT(condition)                                                                                              \
  do {                                                                                                                 \
    if (!(condition))                                                                                                  \
      return std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), 1;                                   \
  } while (false)

/// Every entry that lies in the folder is whole and nothing else was left.
bool is_clean(const std::string &folder) {
  KernelCache cache = open_cache(folder);
  return cache.verify().ok() && cache.verify()->damaged.empty() && count_temporaries(folder) == 0;
}

constexpr IoStep kWriting[] = {IoStep::create_directory, IoStep::open_directory,   IoStep::open_lock, IoStep::lock,
                               IoStep::account,          IoStep::create_temporary, IoStep::write,     IoStep::sync_file,
                               IoStep::rename,           IoStep::sync_directory,   IoStep::remove};

} // namespace

TEST_CASE("cache-06: the disk is full at each successive step: the kernel is there, one warning, nothing partial") {
  for (IoStep failing : kWriting)
    for (int at = 0;; ++at) {
      Folder folder;
      Warnings warnings;
      int step = 0;
      bool failed = false;
      KernelCache cache = open_cache(folder / "c", {.warn = warnings.sink(), .before_step = [&](IoStep now) {
                                                      failed |= now == failing && step++ == at;
                                                      return failed && now == failing ? ENOSPC : 0;
                                                    }});
      REQUIRE(ask(cache, "k", "w", "", 300000));
      REQUIRE(ask(cache, "l", "w", "", 300000));
      REQUIRE(warnings.lines().size() <= 1);
      if (failing != IoStep::remove)
        REQUIRE(is_clean(folder / "c"));
      KernelCache next = open_cache(folder / "c");
      REQUIRE(ask(next, "k"));
      REQUIRE(ask(next, "l"));
      REQUIRE(is_clean(folder / "c"));
      if (step <= at)
        break;
    }
}

TEST_CASE("cache-06: a full disk is warned of once, with the folder, the reason and the way out") {
  Folder folder;
  Warnings warnings;
  KernelCache cache = open_cache(folder.path(), {.warn = warnings.sink(), .before_step = [](IoStep step) {
                                                   return step == IoStep::write ? ENOSPC : 0;
                                                 }});
  CHECK(ask(cache, "k"));
  CHECK(ask(cache, "l"));
  CHECK(cache.counts().compiles == 2);
  CHECK(warnings.lines() ==
        std::vector<std::string>{fmt::format("kernel cache: cannot write to '{}': No space left on device; kernels "
                                             "stay in memory and each process compiles them anew; set "
                                             "TEGULA_CACHE_DIR to a folder that can be written",
                                             folder.path())});
}

TEST_CASE("cache-06: a file system of one block, of 4 kB free, full at each successive block") {
  Folder folder;
  check_in_child(
      [&] {
        if (!own_mounts())
          return kSkipped;
        for (int kilobytes = 4; kilobytes <= 300; kilobytes += 4) {
          std::string size = fmt::format("size={}k", kilobytes);
          if (::mount("none", folder.path().c_str(), "tmpfs", 0, size.c_str()) != 0)
            return kSkipped;
          Warnings warnings;
          KernelCache cache = open_cache(folder.path(), {.warn = warnings.sink()});
          for (std::string name : {"a", "b", "c"})
            EXPECT(ask(cache, name, "w", "", 100000));
          EXPECT(warnings.lines().size() <= 1);
          EXPECT(kilobytes > 100 || warnings.lines().size() == 1);
          EXPECT(is_clean(folder.path()));
          KernelCache next = open_cache(folder.path());
          for (std::string name : {"a", "b", "c"})
            EXPECT(ask(next, name, "w", "", 100000));
          EXPECT(::umount2(folder.path().c_str(), MNT_DETACH) == 0);
        }
        return 0;
      },
      "leave to mount a tmpfs");
}

TEST_CASE("cache-06: a file may not grow beyond a limit (EFBIG)") {
  Folder folder;
  int status = in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    for (rlim_t limit : {rlim_t{0}, rlim_t{1}, rlim_t{8}, rlim_t{4096}, rlim_t{65536}, rlim_t{100000}}) {
      struct rlimit bytes = {limit, RLIM_INFINITY};
      EXPECT(::setrlimit(RLIMIT_FSIZE, &bytes) == 0);
      Warnings warnings;
      KernelCache cache = open_cache(folder.path(), {.warn = warnings.sink()});
      EXPECT(ask(cache, "a", "w", "", 100000));
      EXPECT(warnings.lines().size() == 1);
      EXPECT(is_clean(folder.path()));
    }
    return 0;
  });
  CHECK(status == 0);
}

TEST_CASE("a read-only file system: entries that are there are used, others are compiled, one warning") {
  Folder folder;
  KernelCache before = open_cache(folder.path());
  REQUIRE(ask(before, "there"));
  check_in_child(
      [&] {
        const char *path = folder.path().c_str();
        if (!own_mounts() || ::mount(path, path, nullptr, MS_BIND, nullptr) != 0 ||
            ::mount(nullptr, path, nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) != 0)
          return kSkipped;
        Warnings warnings;
        KernelCache cache = open_cache(folder.path(), {.warn = warnings.sink()});
        EXPECT(cache.find(key("there")));
        EXPECT(warnings.lines().empty());
        EXPECT(ask(cache, "a") && ask(cache, "b") && ask(cache, "a"));
        EXPECT(cache.counts().compiles == 2);
        EXPECT(warnings.lines().size() == 1);
        EXPECT(cache.verify().ok() && cache.verify()->sound == 1);
        EXPECT(cache.clear().ok() && cache.clear()->kept.size() == 1);
        return 0;
      },
      "leave to make a read-only mount");
}

TEST_CASE("a folder without permission to write, and one without permission to look: one warning each") {
  Folder folder;
  KernelCache before = open_cache(folder.path());
  REQUIRE(ask(before, "there"));
  for (mode_t mode : {0555, 0000}) {
    REQUIRE(::chmod(folder.path().c_str(), mode) == 0);
    int status = in_child([&] {
      EXPECT(become_nobody());
      Warnings warnings;
      KernelCache cache = open_cache(folder.path(), {.warn = warnings.sink()});
      EXPECT(ask(cache, "there") && ask(cache, "a") && ask(cache, "b") && ask(cache, "a"));
      EXPECT(cache.counts().compiles == (mode == 0 ? 3 : 2));
      EXPECT(warnings.lines().size() == 1);
      return 0;
    });
    CHECK(status == 0);
  }
  REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
}

TEST_CASE("cache-03: another user's entry and lock, mode 0600: compiles, runs, says once that it could not be read") {
  Folder folder;
  REQUIRE(::chmod(folder.path().c_str(), 0777) == 0);
  KernelCache before = open_cache(folder.path());
  REQUIRE(ask(before, "k"));
  // A user who is not root can't leave files to another; mode 0 then shuts him out in the same manner.
  mode_t mode = ::getuid() == 0 ? 0600 : 0;
  REQUIRE(::chmod(entry_path(folder.path(), "k").c_str(), mode) == 0);
  for (const char *name : {"/cache.lock", "/cache.usage"})
    REQUIRE(::chmod((folder.path() + name).c_str(), mode) == 0);
  int status = in_child([&] {
    EXPECT(become_nobody());
    Warnings warnings;
    KernelCache cache = open_cache(folder.path(), {.warn = warnings.sink()});
    EXPECT(ask(cache, "k") && ask(cache, "l"));
    EXPECT(cache.counts().compiles == 2);
    EXPECT(warnings.lines().size() == 1);
    EXPECT(warnings.lines()[0].find("cannot read '" + entry_path(folder.path(), "k") + "': Permission denied") !=
           std::string::npos);
    KernelCache next = open_cache(folder.path());
    EXPECT(ask(next, "k"));
    EXPECT(next.counts().disk_hits == 1); // The folder may be written, so the entry was replaced.
    return 0;
  });
  CHECK(status == 0);
}

TEST_CASE("cache-03: two users share a folder that both may write") {
  Folder folder;
  REQUIRE(::chmod(folder.path().c_str(), 0777) == 0);
  ::umask(0022);
  KernelCache before = open_cache(folder.path());
  REQUIRE(ask(before, "k"));
  int status = in_child([&] {
    EXPECT(become_nobody());
    Warnings warnings;
    KernelCache cache = open_cache(folder.path(), {.warn = warnings.sink()});
    int from_disk = 0;
    for (int i = 0; i < 300; ++i)
      EXPECT(ask(cache, fmt::format("{}", i)));
    EXPECT(ask(cache, "k"));
    from_disk = static_cast<int>(cache.counts().disk_hits);
    EXPECT(from_disk == 1);
    EXPECT(warnings.lines().empty());
    return 0;
  });
  CHECK(status == 0);
}

TEST_CASE("the folder's path names a file: memory only, one warning") {
  Folder folder;
  write_file(folder / "file", "x");
  Warnings warnings;
  KernelCache cache = open_cache(folder / "file", {.warn = warnings.sink()});
  CHECK(ask(cache, "a"));
  CHECK(ask(cache, "b"));
  CHECK(warnings.lines().size() == 1);
  CHECK(read_file(folder / "file") == "x");
}

TEST_CASE("reading fails: the kernel is compiled, one warning") {
  Folder folder;
  KernelCache before = open_cache(folder.path());
  REQUIRE(ask(before, "k"));
  Warnings warnings;
  KernelCache cache =
      open_cache(folder.path(),
                 {.warn = warnings.sink(), .before_step = [](IoStep step) { return step == IoStep::read ? EIO : 0; }});
  CHECK(ask(cache, "k"));
  CHECK(cache.counts().compiles == 1);
  CHECK(warnings.lines().size() == 1);
}

TEST_CASE("cache-02: a reader at each step of two writers gets one writer's set whole or a miss") {
  Folder folder;
  std::optional<CachedKernel> before, latest;
  int steps = 0;
  DiskStore reader({.path = folder.path()}, 1 << 30, {});
  auto look = [&](IoStep) {
    ++steps;
    LoadOutcome found = reader.load(key("k"));
    bool is_before = before ? found.kernel == *before && found.state == LoadOutcome::State::hit
                            : found.state == LoadOutcome::State::absent;
    bool is_latest = found.state == LoadOutcome::State::hit && found.kernel == *latest;
    CHECK((is_before || is_latest));
    return 0;
  };
  DiskStore writer({.path = folder.path()}, 1 << 30, look);
  for (int round = 0; round < 4; ++round) {
    latest = kernel("k", round % 2 ? "first" : "second", round % 2 ? 200000 : 300);
    REQUIRE(writer.publish(key("k"), *latest).ok());
    before = latest;
  }
  CHECK(steps > 40);
}
