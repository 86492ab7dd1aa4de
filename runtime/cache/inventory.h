// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Looks over a whole cache folder for people: what lies there, whether it is sound, away with it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/cache/cache_key.h"
#include "runtime/cache/disk_store.h"
#include "runtime/cache/entry_format.h"
#include "runtime/result/result.h"

namespace tegula {

/// One entry as its header tells it.
struct EntryInfo {
  std::string key; ///< 32 hexadecimal digits
  std::string path;
  int64_t bytes = 0;
  std::chrono::system_clock::time_point last_used; ///< to a minute
  CachedImageKind kind = CachedImageKind::cubin;
  std::vector<KeyPart> parts;
  std::string damage; ///< what is wrong with it; kind and parts are then unset. Empty: nothing that was looked at
};

/// What a look at all bytes of all entries found.
struct VerifyReport {
  int64_t sound = 0;
  int64_t bytes = 0;              ///< of the sound ones
  std::vector<EntryInfo> damaged; ///< also those of another version and those that can't be read
};

struct ClearReport {
  int64_t removed = 0;
  int64_t bytes = 0;
  std::vector<std::string> kept; ///< path and reason of each that could not be removed
};

/// All entries, the one used last first; reads headers and key parts only. A folder that isn't there holds none.
/// \errors  io_error if the folder can't be read.
[[nodiscard]] Result<std::vector<EntryInfo>> list_entries(const DiskStore &store);

/// Reads and checks everything; removes nothing: a damaged entry is replaced when its kernel is next compiled.
[[nodiscard]] Result<VerifyReport> verify_entries(const DiskStore &store);

/// Removes all entries and what dead writers left; nothing else that lies in the folder.
[[nodiscard]] Result<ClearReport> clear_entries(const DiskStore &store);

} // namespace tegula
