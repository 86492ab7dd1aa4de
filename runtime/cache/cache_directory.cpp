// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses the cache's folder. Looks at HOME alone; makes nothing.
#include "runtime/cache/cache_directory.h"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

namespace tegula {
namespace {

CacheDirectory chosen(std::string_view path, std::string_view source) {
  std::error_code error;
  // Symbolic links stay: the folder behind one may be exchanged while we run.
  std::filesystem::path absolute = std::filesystem::absolute(path, error);
  CacheDirectory directory;
  directory.source = source;
  if (error) {
    directory.problem =
        fmt::format("'{}' (from {}) is relative and there is no current folder: {}", path, source, error.message());
    return directory;
  }
  directory.path = absolute.string();
  while (directory.path.size() > 1 && directory.path.back() == '/')
    directory.path.pop_back();
  return directory;
}

CacheDirectory below_home(const Environment &environment) {
  CacheDirectory directory;
  directory.source = "HOME";
  if (!environment.home) {
    directory.problem = "neither XDG_CACHE_HOME nor HOME is set, so there is no place for it on disk";
    return directory;
  }
  const std::string &home = *environment.home;
  std::error_code error;
  if (!home.starts_with('/'))
    directory.problem = fmt::format("HOME='{}' is no absolute path", home);
  else if (!std::filesystem::is_directory(home, error))
    directory.problem = fmt::format("HOME='{}' is no folder, looked for '{}/.cache/tegula'", home, home);
  else
    directory = chosen((std::filesystem::path(home) / ".cache/tegula").string(), "HOME");
  return directory;
}

} // namespace

CacheDirectory locate_cache(std::string_view option, const Environment &environment) {
  if (!option.empty())
    return chosen(option, "option");
  if (environment.cache_dir && !environment.cache_dir->empty())
    return chosen(*environment.cache_dir, "TEGULA_CACHE_DIR");
  CacheDirectory directory;
  if (environment.xdg_cache_home && environment.xdg_cache_home->starts_with('/'))
    directory = chosen(*environment.xdg_cache_home + "/tegula", "XDG_CACHE_HOME");
  else
    directory = below_home(environment);
  directory.is_private = true;
  return directory;
}

} // namespace tegula
