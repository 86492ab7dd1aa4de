// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and publishes entries. Every path is resolved anew at each step that begins with one, since the folder may be
// removed, or be a link that is aimed elsewhere, while we run; within one write only an open folder is used.
#include "runtime/cache/disk_store.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>

#include <fmt/format.h>

#include "runtime/cache/temporary_file.h"

namespace tegula {
namespace {

/// A use is noted on disk once a minute at most: the order of eviction needs no more, and reads stay reads.
constexpr int64_t kTouchAfterSeconds = 60;
/// How often a write begins anew because the folder vanished under it.
constexpr int kAttempts = 3;

std::string message(int error) { return std::generic_category().message(error); }

LoadOutcome damaged(const std::string &path, std::string_view why) {
  return {LoadOutcome::State::damaged, {}, fmt::format("'{}' is damaged: {}", path, why)};
}

LoadOutcome unreadable(const std::string &path, int error) {
  return {LoadOutcome::State::unreadable, {}, fmt::format("cannot read '{}': {}", path, message(error))};
}

/// Decodes the whole file, reading its header first so that no size in it is believed.
Result<DecodedEntry> read_entry(const FileSystem &files, const Descriptor &file, int64_t file_bytes, int &error) {
  std::string bytes;
  error = files.read_up_to(file, std::min(file_bytes, kHeaderBytes), bytes);
  if (error != 0)
    return Error(ErrorCode::io_error, message(error));
  TEGULA_TRY([[maybe_unused]] EntryHeader header, decode_header(bytes, file_bytes));
  error = files.read_up_to(file, file_bytes, bytes);
  if (error != 0)
    return Error(ErrorCode::io_error, message(error));
  return decode_entry(bytes);
}

} // namespace

DiskStore::DiskStore(CacheDirectory where, int64_t max_bytes, FaultHook before_step)
    : where_(std::move(where)), files_(std::move(before_step)), bound_(files_, max_bytes) {}

LoadOutcome DiskStore::load(const CacheKey &key) const {
  EntryPlace place = EntryPlace::of(key.digest());
  std::string path = fmt::format("{}/{}/{}", where_.path, place.shard, place.name);
  // Non-blocking, so that a pipe of that name can't hold us up.
  Descriptor file = files_.open(IoStep::open_entry, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!file && (file.error() == ENOENT || file.error() == ENOTDIR))
    return {};
  if (!file)
    return unreadable(path, file.error());
  struct stat status;
  if (::fstat(file.fd(), &status) != 0)
    return unreadable(path, errno);
  if (!S_ISREG(status.st_mode))
    return damaged(path, "it is no file");

  int error = 0;
  Result<DecodedEntry> entry = read_entry(files_, file, status.st_size, error);
  if (error != 0)
    return unreadable(path, error);
  if (!entry.ok() && entry.error().code() == ErrorCode::unsupported)
    return {}; // Another version's: as good as absent.
  if (!entry.ok())
    return damaged(path, entry.error().message());
  // The digests may agree by chance, or the file was copied from another's place: only equal parts are the same kernel.
  if (!std::ranges::equal(entry->parts, key.parts()))
    return {};
  if (::time(nullptr) - status.st_mtim.tv_sec > kTouchAfterSeconds)
    (void)files_.touch(file); // Another user's entry, or a read-only folder: then it ages.
  return {LoadOutcome::State::hit, std::move(entry->kernel), {}};
}

Result<void> DiskStore::publish(const CacheKey &key, const CachedKernel &kernel) const {
  EntryPlace place = EntryPlace::of(key.digest());
  std::string bytes = encode_entry(key, kernel);
  auto size = static_cast<int64_t>(bytes.size());
  auto refuse = [&](std::string_view why) {
    return Error(ErrorCode::io_error, fmt::format("cannot write to '{}': {}", where_.path, why));
  };
  if (size > kMaxEntryBytes || !bound_.fits(size))
    return refuse(fmt::format("the entry of {} bytes leaves no room in the cache's bytes", size));

  bound_.account(where_.path, size);
  int error = ENOENT;
  for (int attempt = 0; attempt < kAttempts && (error == ENOENT || error == ENOTDIR); ++attempt)
    error = write_once(place, bytes);
  if (error != 0)
    return refuse(message(error));
  if (bound_.is_due(where_.path))
    bound_.sweep(where_.path);
  return {};
}

KeyLock DiskStore::lock(const CacheKey &key) const {
  if (struct stat status; ::stat(where_.path.c_str(), &status) != 0)
    (void)files_.make_directories(where_.path, where_.is_private ? 0700 : 0777);
  return KeyLock(files_, where_.path, LockSlot::of_key(key.digest()));
}

Descriptor DiskStore::open_shard(const std::string &shard) const {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY;
  std::string path = where_.path + "/" + shard;
  Descriptor directory = files_.open(IoStep::open_directory, path, kFlags);
  if (directory || directory.error() != ENOENT)
    return directory;
  if (int error = files_.make_directories(where_.path, where_.is_private ? 0700 : 0777))
    return Descriptor::failed(error);
  if (int error = files_.make_directories(path, 0777))
    return Descriptor::failed(error);
  directory = files_.open(IoStep::open_directory, path, kFlags);
  // A folder that several users share is shared down to its shards, whatever the umask.
  struct stat top, made;
  if (directory && ::stat(where_.path.c_str(), &top) == 0 && (top.st_mode & 0022) != 0 &&
      ::fstat(directory.fd(), &made) == 0 && made.st_mode != top.st_mode)
    (void)::fchmod(directory.fd(), top.st_mode & 07777);
  return directory;
}

int DiskStore::write_once(const EntryPlace &place, std::string_view bytes) const {
  Descriptor shard = open_shard(place.shard);
  if (!shard)
    return shard.error();
  TemporaryFile file(files_, shard);
  if (file.error() != 0)
    return file.error();
  if (int error = file.fill_and_rename(bytes, place.name))
    return error;
  // The entry is in place; if the folder can't be synced, a power cut may take it away again, and no more.
  (void)files_.sync_directory(shard);
  return 0;
}

} // namespace tegula
