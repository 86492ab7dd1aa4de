// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names of files in the cache's folder, and a walk over them that touches nothing else lying there.
//     <root>/ab/cdef….tgk         an entry; "abcdef…" is its key's digest, 256 folders keep each one small
//     <root>/ab/.tmp-…            an entry being written, locked by its writer
//     <root>/cache.lock, cache.usage
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <sys/stat.h>

#include "runtime/cache/digest.h"
#include "runtime/cache/file_system.h"

namespace tegula {

/// Where an entry lies below the root.
struct EntryPlace {
  std::string shard; ///< "ab"
  std::string name;  ///< "cdef….tgk"

  static EntryPlace of(const Digest &key);
  /// The key that a file of this name must hold, if it is an entry's name at all.
  static std::optional<Digest> key_of(std::string_view shard, std::string_view name);
};

[[nodiscard]] bool is_temporary(std::string_view name);

/// One file that the walk came to.
struct FoundFile {
  const Descriptor &directory; ///< of its shard
  const std::string &shard;
  std::string name;
  std::optional<Digest> key; ///< of an entry; none for a temporary
  struct stat status;
};

/// Visits each entry and temporary. Files that vanish meanwhile are passed over; so are shards that can't be read.
/// \returns  0, or the errno for which the root could not be read (ENOENT: there is no cache yet).
int walk_cache(const FileSystem &files, const std::string &root, const std::function<void(const FoundFile &)> &visit);

} // namespace tegula
