// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Listing, verifying and clearing, while other processes go on using the folder.
#include "runtime/cache/inventory.h"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <system_error>

#include <fcntl.h>

#include <fmt/format.h>

#include "runtime/cache/cache_files.h"

namespace tegula {
namespace {

enum class Depth { header, all };

std::string message(int error) { return std::generic_category().message(error); }

/// Reads `size` bytes of a file whose entry's header says that they are there.
Result<std::string> read_bytes(const FileSystem &files, const Descriptor &file, int64_t size) {
  std::string bytes;
  if (int error = files.read_up_to(file, size, bytes))
    return Error(ErrorCode::io_error, message(error));
  return bytes;
}

Result<void> inspect(const FileSystem &files, const Descriptor &file, const Digest &key, Depth depth, EntryInfo &info) {
  TEGULA_TRY(std::string head, read_bytes(files, file, std::min(info.bytes, kHeaderBytes)));
  TEGULA_TRY(EntryHeader header, decode_header(head, info.bytes));
  if (header.key != key)
    return Error(ErrorCode::io_error, "it lies under another key's name");
  int64_t wanted = depth == Depth::all ? info.bytes : kHeaderBytes + header.parts_bytes;
  TEGULA_TRY(std::string bytes, read_bytes(files, file, wanted));
  if (depth == Depth::all)
    TEGULA_CHECK(decode_entry(bytes));
  if (static_cast<int64_t>(bytes.size()) < kHeaderBytes + header.parts_bytes)
    return Error(ErrorCode::io_error, "it is cut short");
  TEGULA_TRY(info.parts, decode_parts(std::string_view(bytes).substr(kHeaderBytes, header.parts_bytes)));
  info.kind = header.kind;
  return {};
}

/// Nothing if the entry has gone since the walk came to it.
std::optional<EntryInfo> describe(const DiskStore &store, const FoundFile &found, Depth depth) {
  EntryInfo info;
  info.key = hex(*found.key);
  info.path = fmt::format("{}/{}/{}", store.root(), found.shard, found.name);
  info.bytes = found.status.st_size;
  info.last_used = std::chrono::system_clock::from_time_t(found.status.st_mtim.tv_sec);
  const FileSystem &files = store.files();
  Descriptor file = files.open(IoStep::open_entry, found.directory.fd(), found.name, O_RDONLY | O_NONBLOCK);
  if (file.error() == ENOENT)
    return std::nullopt;
  if (!file)
    info.damage = fmt::format("cannot be read: {}", message(file.error()));
  else if (!S_ISREG(found.status.st_mode))
    info.damage = "it is no file";
  else if (Result<void> result = inspect(files, file, *found.key, depth, info); !result)
    info.damage = result.error().message();
  return info;
}

/// Visits all files of the cache, of which there are none if the folder isn't there.
Result<void> walk(const DiskStore &store, const std::function<void(const FoundFile &)> &visit) {
  int error = walk_cache(store.files(), store.root(), visit);
  if (error != 0 && error != ENOENT)
    return Error(ErrorCode::io_error,
                 fmt::format("cannot read the kernel cache '{}': {}", store.root(), message(error)));
  return {};
}

} // namespace

Result<std::vector<EntryInfo>> list_entries(const DiskStore &store) {
  std::vector<EntryInfo> entries;
  TEGULA_CHECK(walk(store, [&](const FoundFile &found) {
    if (std::optional<EntryInfo> info = found.key ? describe(store, found, Depth::header) : std::nullopt)
      entries.push_back(std::move(*info));
  }));
  std::ranges::sort(entries, [](const EntryInfo &a, const EntryInfo &b) {
    return a.last_used != b.last_used ? a.last_used > b.last_used : a.key < b.key;
  });
  return entries;
}

Result<VerifyReport> verify_entries(const DiskStore &store) {
  VerifyReport report;
  TEGULA_CHECK(walk(store, [&](const FoundFile &found) {
    std::optional<EntryInfo> info = found.key ? describe(store, found, Depth::all) : std::nullopt;
    if (!info)
      return;
    if (info->damage.empty()) {
      ++report.sound;
      report.bytes += info->bytes;
    } else {
      report.damaged.push_back(std::move(*info));
    }
  }));
  return report;
}

Result<ClearReport> clear_entries(const DiskStore &store) {
  ClearReport report;
  TEGULA_CHECK(walk(store, [&](const FoundFile &found) {
    if (!found.key) {
      (void)remove_if_orphaned(store.files(), found.directory, found.name);
      return;
    }
    int error = store.files().remove(found.directory, found.name);
    if (error == 0) {
      ++report.removed;
      report.bytes += found.status.st_size;
    } else if (error != ENOENT) {
      report.kept.push_back(fmt::format("{}/{}/{}: {}", store.root(), found.shard, found.name, message(error)));
    }
  }));
  return report;
}

} // namespace tegula
