// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entries as files: reads one whole or not at all, writes one whole or not at all. Decides nothing about compiling.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/cache/cache_directory.h"
#include "runtime/cache/cache_files.h"
#include "runtime/cache/cache_key.h"
#include "runtime/cache/entry_format.h"
#include "runtime/cache/file_system.h"
#include "runtime/cache/key_lock.h"
#include "runtime/cache/size_bound.h"
#include "runtime/result/result.h"

namespace tegula {

/// What became of looking for an entry. Only `hit` has a kernel; only `damaged` and `unreadable` have a reason.
struct LoadOutcome {
  enum class State { hit, absent, damaged, unreadable };

  State state = State::absent;
  CachedKernel kernel;
  std::string reason; ///< with the file's path
};

class DiskStore {
public:
  /// `where.path` is not empty. Touches nothing yet.
  DiskStore(CacheDirectory where, int64_t max_bytes, FaultHook before_step);
  DiskStore(const DiskStore &) = delete;
  DiskStore &operator=(const DiskStore &) = delete;

  [[nodiscard]] const std::string &root() const { return where_.path; }
  [[nodiscard]] const FileSystem &files() const { return files_; }

  /// The entry of exactly this key, checked byte for byte. A hit counts as a use (for eviction).
  [[nodiscard]] LoadOutcome load(const CacheKey &key) const;

  /// Writes the entry to a temporary beside its place, syncs it and renames it, so that whoever reads the place gets
  /// the old file or the new one. An old one is replaced. Then keeps the folder within its bytes.
  /// \errors  io_error, with path and reason; nothing is left behind then.
  [[nodiscard]] Result<void> publish(const CacheKey &key, const CachedKernel &kernel) const;

  /// The lock under which one process at a time compiles this key; makes the folder for it if it can.
  [[nodiscard]] KeyLock lock(const CacheKey &key) const;

private:
  [[nodiscard]] Descriptor open_shard(const std::string &shard) const;
  [[nodiscard]] int write_once(const EntryPlace &place, std::string_view bytes) const;

  CacheDirectory where_;
  FileSystem files_;
  SizeBound bound_;
};

} // namespace tegula
