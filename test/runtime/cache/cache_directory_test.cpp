// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which folder is chosen, and what happens where there is none.
#include <filesystem>

#include <catch2/catch.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include "test/runtime/cache/sample.h"

using namespace tegula;
using namespace tegula::sample;

namespace {

constexpr uid_t kNobody = 65534;

/// Asks twice for a kernel in an environment without a usable folder. \returns the warnings.
std::vector<std::string> warnings_in(const Environment &environment) {
  Warnings warnings;
  KernelCache cache = KernelCache::open(environment, {.warn = warnings.sink()});
  CHECK(ask(cache, "a"));
  CHECK(ask(cache, "b"));
  CHECK(ask(cache, "a"));
  CHECK(cache.counts().compiles == 2);
  CHECK(cache.counts().memory_hits == 1);
  return warnings.lines();
}

} // namespace

TEST_CASE("the option goes before TEGULA_CACHE_DIR, that before XDG_CACHE_HOME, that before HOME") {
  Folder home;
  Environment environment;
  environment.home = home.path();
  CHECK(locate_cache("", environment).path == home / ".cache/tegula");
  CHECK(locate_cache("", environment).source == "HOME");
  environment.xdg_cache_home = std::string("/x");
  CHECK(locate_cache("", environment).path == "/x/tegula");
  environment.cache_dir = std::string("/t/");
  CHECK(locate_cache("", environment).path == "/t");
  CHECK(locate_cache("", environment).source == "TEGULA_CACHE_DIR");
  CHECK(locate_cache("/o", environment).path == "/o");
  CHECK(locate_cache("/o", environment).source == "option");
}

TEST_CASE("a relative option counts from the current folder, a relative XDG_CACHE_HOME is ignored") {
  Folder home;
  Environment environment;
  environment.home = home.path();
  environment.xdg_cache_home = std::string("x");
  CHECK(locate_cache("", environment).source == "HOME");
  CHECK(locate_cache("o", environment).path == (std::filesystem::current_path() / "o").string());
}

TEST_CASE("cache-04: HOME unset: kernels run, one line names the variables") {
  std::vector<std::string> lines = warnings_in({});
  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines[0], Catch::Contains("HOME") && Catch::Contains("TEGULA_CACHE_DIR"));
}

TEST_CASE("cache-04: HOME names no folder: it isn't made, one line says where the cache was looked for") {
  Folder folder;
  Environment environment;
  environment.home = folder / "nobody/here";
  std::vector<std::string> lines = warnings_in(environment);
  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines[0], Catch::Contains(folder / "nobody/here/.cache/tegula") && Catch::Contains("TEGULA_CACHE_DIR"));
  CHECK_FALSE(std::filesystem::exists(folder / "nobody"));
}

TEST_CASE("cache-04: HOME=/ as a user who can't write there: one line") {
  int status = in_child([] {
    if (::getuid() == 0 && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0))
      return 3;
    Environment environment;
    environment.home = std::string("/");
    Warnings warnings;
    KernelCache cache = KernelCache::open(environment, {.warn = warnings.sink()});
    if (!ask(cache, "a") || !ask(cache, "b") || warnings.lines().size() != 1)
      return 1;
    std::string line = warnings.lines()[0];
    return line.find("'/.cache/tegula'") != line.npos && line.find("TEGULA_CACHE_DIR") != line.npos ? 0 : 2;
  });
  CHECK(status == 0);
}

TEST_CASE("the XDG folder is made for its user alone, with what is missing above it") {
  Folder home;
  Environment environment;
  environment.xdg_cache_home = home / "deep/cache";
  KernelCache cache = KernelCache::open(environment);
  CHECK_FALSE(std::filesystem::exists(home / "deep"));
  REQUIRE(ask(cache, "a"));
  struct stat status;
  REQUIRE(::stat((home / "deep/cache/tegula").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0700);
  CHECK(decode_entry(read_file(entry_path(home / "deep/cache/tegula", "a"))).ok());
}

namespace {

void aim(const std::string &link, const std::string &folder) {
  std::filesystem::remove(link);
  std::filesystem::create_directory_symlink(folder, link);
}

/// A link in /tmp and two folders, one of them in /dev/shm: another file system where there is one.
struct Linked {
  Folder here{std::filesystem::temp_directory_path().string()}, there;
  std::string link = here / "link", first = here / "first", second = there.path();

  Linked() {
    std::filesystem::create_directory(first);
    aim(link, first);
    struct stat a, b;
    if (::stat(first.c_str(), &a) == 0 && ::stat(second.c_str(), &b) == 0 && a.st_dev == b.st_dev)
      WARN("only one file system here: the link crosses none");
  }
};

} // namespace

TEST_CASE("cache-05: the folder is a link that is aimed elsewhere between two compiles") {
  Linked places;
  Warnings warnings;
  KernelCache cache = open_cache(places.link, {.warn = warnings.sink()});
  CHECK(ask(cache, "a"));
  aim(places.link, places.second);
  CHECK(ask(cache, "b"));
  CHECK(decode_entry(read_file(entry_path(places.first, "a"))).ok());
  CHECK(decode_entry(read_file(entry_path(places.second, "b"))).ok());
  CHECK(warnings.lines().empty());
}

TEST_CASE("cache-05: the link is aimed elsewhere at each step of a write") {
  for (int at = 0;; ++at) {
    Linked places;
    Warnings warnings;
    int step = 0, folders = 0; // A sweep looks into 256 folders; the first few stand for all.
    KernelCache cache = open_cache(places.link, {.warn = warnings.sink(), .before_step = [&](IoStep now) {
                                                   bool counts = now != IoStep::open_directory || ++folders < 6;
                                                   if (counts && step++ == at)
                                                     aim(places.link, places.second);
                                                   return 0;
                                                 }});
    REQUIRE(ask(cache, "a"));
    REQUIRE(warnings.lines().empty());
    std::string first = read_file(entry_path(places.first, "a")), second = read_file(entry_path(places.second, "a"));
    REQUIRE((first.empty() || decode_entry(first).ok()));
    REQUIRE((second.empty() || decode_entry(second).ok()));
    REQUIRE_FALSE((first.empty() && second.empty()));
    if (step <= at)
      break;
  }
}

TEST_CASE("cache-05: a link to nothing: memory only, one line") {
  Folder folder;
  std::filesystem::create_directory_symlink(folder / "gone", folder / "link");
  Warnings warnings;
  KernelCache cache = open_cache(folder / "link", {.warn = warnings.sink()});
  CHECK(ask(cache, "a"));
  CHECK(ask(cache, "b"));
  REQUIRE(warnings.lines().size() == 1);
  CHECK_THAT(warnings.lines()[0], Catch::Contains(folder / "link"));
}

TEST_CASE("cache-05: the folder is removed at each step of a write, and made again") {
  for (int at = 0;; ++at) {
    Folder folder;
    Warnings warnings;
    int step = 0;
    KernelCache cache = open_cache(folder / "c", {.warn = warnings.sink(), .before_step = [&](IoStep) {
                                                    if (step++ == at)
                                                      std::filesystem::remove_all(folder / "c");
                                                    return 0;
                                                  }});
    REQUIRE(ask(cache, "a"));
    REQUIRE(ask(cache, "b"));
    REQUIRE(warnings.lines().empty());
    std::string left = read_file(entry_path(folder / "c", "b"));
    REQUIRE((left.empty() || decode_entry(left).ok()));
    if (step <= at)
      break;
  }
}
