// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The account is a file of 8-byte sizes, appended without a lock (O_APPEND is atomic) and summed up when asked. Sizes
// lost in a race with a sweep are found by the next one, so that errors never add up.
#include "runtime/cache/size_bound.h"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <optional>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "runtime/cache/cache_files.h"
#include "runtime/cache/key_lock.h"
#include "runtime/cache/little_endian.h"

namespace tegula {
namespace {

constexpr int64_t kBlockBytes = 4096;
constexpr int64_t kRecordBytes = 8;
/// A longer account is begun anew by a sweep, so that adding it up stays cheap: 8192 entries since the last one.
constexpr int64_t kMaxAccountBytes = 64 * 1024;
/// Where locks don't work, a temporary of this age has no writer any more.
constexpr int64_t kAbandonedAfterSeconds = 24 * 3600;

std::string account_path(const std::string &root) { return root + "/cache.usage"; }

int64_t nanoseconds(const struct timespec &time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; }

/// The bytes accounted for, or nothing if the file is missing, too long or no list of sizes.
std::optional<int64_t> read_account(const FileSystem &files, const std::string &root) {
  Descriptor file = files.open(IoStep::account, account_path(root), O_RDONLY);
  std::string records;
  if (!file || files.read_up_to(file, kMaxAccountBytes + 1, records) != 0)
    return std::nullopt;
  if (records.empty() || records.size() > kMaxAccountBytes || records.size() % kRecordBytes != 0)
    return std::nullopt;
  int64_t total = 0;
  for (size_t at = 0; at < records.size(); at += kRecordBytes) {
    auto bytes = static_cast<int64_t>(number_at<uint64_t>(records, at));
    if (bytes < 0 || __builtin_add_overflow(total, bytes, &total))
      return std::nullopt;
  }
  return total;
}

} // namespace

int64_t SizeBound::charged_bytes(int64_t file_bytes) {
  return (file_bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
}

void SizeBound::account(const std::string &root, int64_t file_bytes) const {
  std::string record;
  append_number(record, static_cast<uint64_t>(charged_bytes(file_bytes)));
  // Appends only: a missing account is made by the sweep that it calls for.
  Descriptor file = files_.open(IoStep::account, account_path(root), O_WRONLY | O_APPEND);
  struct stat status;
  if (!file || ::fstat(file.fd(), &status) != 0)
    return;
  if (status.st_size == 0)
    (void)::unlink(account_path(root).c_str()); // Lost its contents in a power cut: as good as missing.
  else
    (void)files_.write_all(file, record); // A record cut short makes the length odd, which calls for a sweep.
}

bool SizeBound::is_due(const std::string &root) const {
  std::optional<int64_t> total = read_account(files_, root);
  return !total || *total > max_bytes_;
}

void SizeBound::sweep(const std::string &root) const {
  KeyLock lock(files_, root, LockSlot::of_sweep());
  if (lock.attempt() == KeyLock::State::busy)
    return;
  // Without locks (another user's file, say) two may sweep at once, and both remove the same oldest entries.
  std::vector<Candidate> entries;
  int64_t total = 0;
  int error = walk_cache(files_, root, [&](const FoundFile &file) {
    if (!file.key && remove_if_orphaned(files_, file.directory, file.name))
      return;
    int64_t bytes = charged_bytes(file.status.st_size);
    total += bytes;
    if (file.key)
      entries.push_back({file.shard, file.name, nanoseconds(file.status.st_mtim), bytes});
  });
  if (error != 0)
    return;
  if (total > max_bytes_)
    total = evict(root, std::move(entries), total);
  restart_account(root, total);
}

int64_t SizeBound::evict(const std::string &root, std::vector<Candidate> entries, int64_t total) const {
  std::ranges::sort(entries, {}, &Candidate::used_ns);
  Descriptor top = files_.open(IoStep::open_directory, root, O_RDONLY | O_DIRECTORY);
  for (const Candidate &oldest : entries) {
    if (total <= low_water() || !top)
      break;
    std::string path = oldest.shard + "/" + oldest.name;
    struct stat now;
    if (::fstatat(top.fd(), path.c_str(), &now, AT_SYMLINK_NOFOLLOW) != 0) {
      total -= oldest.bytes;
      continue;
    }
    if (nanoseconds(now.st_mtim) != oldest.used_ns)
      continue; // Used or written anew since the walk.
    if (files_.remove(top, path) == 0)
      total -= oldest.bytes;
  }
  return total;
}

void SizeBound::restart_account(const std::string &root, int64_t total) const {
  // What could not be removed is left out: else every entry from now on would bring another walk over all of them.
  std::string record;
  append_number(record, static_cast<uint64_t>(std::min(total, low_water())));
  // Never in place: appends of other processes go on. Two sweepers without locks may meet at the same name; the loser
  // leaves the account to the winner.
  std::string fresh = account_path(root) + ".new";
  (void)::unlink(fresh.c_str());
  Descriptor file = files_.open_shared(IoStep::account, fresh, O_WRONLY);
  if (file && files_.write_all(file, record) == 0 && files_.before(IoStep::account) == 0)
    (void)::rename(fresh.c_str(), account_path(root).c_str());
  else
    (void)::unlink(fresh.c_str());
}

bool remove_if_orphaned(const FileSystem &files, const Descriptor &directory, const std::string &name) {
  Descriptor file = files.open(IoStep::open_entry, directory.fd(), name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  if (!file)
    return false;
  if (::flock(file.fd(), LOCK_EX | LOCK_NB) != 0) {
    struct stat status;
    if (errno == EWOULDBLOCK || ::fstat(file.fd(), &status) != 0 ||
        ::time(nullptr) - status.st_mtim.tv_sec < kAbandonedAfterSeconds)
      return false;
  }
  // Still under the lock: a writer that has made the file and not locked it yet will see that its name is gone.
  return files.remove(directory, name) == 0;
}

} // namespace tegula
