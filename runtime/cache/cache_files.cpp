// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the 256 shards of a cache. Everything whose name is not the cache's own is left alone.
#include "runtime/cache/cache_files.h"

#include <cerrno>
#include <memory>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

namespace tegula {
namespace {

constexpr std::string_view kSuffix = ".tgk";
constexpr std::string_view kTemporaryPrefix = ".tmp-";
constexpr size_t kShardDigits = 2;

/// The names in an open folder. They are gathered before anything is done, since what is done may remove some.
std::vector<std::string> names_in(const Descriptor &directory) {
  std::vector<std::string> names;
  int copy = ::fcntl(directory.fd(), F_DUPFD_CLOEXEC, 0);
  if (copy < 0)
    return names;
  DIR *stream = ::fdopendir(copy);
  if (!stream) {
    ::close(copy);
    return names;
  }
  while (const dirent *found = ::readdir(stream))
    names.emplace_back(found->d_name);
  ::closedir(stream);
  return names;
}

std::string shard_name(int number) {
  constexpr char kDigits[] = "0123456789abcdef";
  return {kDigits[number >> 4], kDigits[number & 15]};
}

} // namespace

EntryPlace EntryPlace::of(const Digest &key) {
  std::string digits = hex(key);
  return {digits.substr(0, kShardDigits), digits.substr(kShardDigits) + std::string(kSuffix)};
}

std::optional<Digest> EntryPlace::key_of(std::string_view shard, std::string_view name) {
  if (!name.ends_with(kSuffix))
    return std::nullopt;
  name.remove_suffix(kSuffix.size());
  return parse_digest(std::string(shard) + std::string(name));
}

bool is_temporary(std::string_view name) { return name.starts_with(kTemporaryPrefix); }

int walk_cache(const FileSystem &files, const std::string &root, const std::function<void(const FoundFile &)> &visit) {
  Descriptor top = files.open(IoStep::open_directory, root, O_RDONLY | O_DIRECTORY);
  if (!top)
    return top.error();
  for (int number = 0; number < 256; ++number) {
    std::string shard = shard_name(number);
    Descriptor directory = files.open(IoStep::open_directory, top.fd(), shard, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (!directory)
      continue;
    for (std::string &name : names_in(directory)) {
      std::optional<Digest> key = EntryPlace::key_of(shard, name);
      if (!key && !is_temporary(name))
        continue;
      struct stat status;
      if (::fstatat(directory.fd(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0)
        visit({directory, shard, std::move(name), key, status});
    }
  }
  return 0;
}

} // namespace tegula
