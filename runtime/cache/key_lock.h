// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Locks between processes. They spare work and nothing else: without them two processes compile the same kernel, and
// still no reader gets a wrong one.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/cache/digest.h"
#include "runtime/cache/file_system.h"

namespace tegula {

/// What is locked: one byte of the cache's lock file, by its offset. Two keys on one byte wait for each other, no more.
struct LockSlot {
  int64_t offset;

  static LockSlot of_key(const Digest &key) { return {static_cast<int64_t>(key.low >> 2)}; }
  static LockSlot of_sweep() { return {int64_t{1} << 62}; }
};

/// A write lock on one byte of one file for the whole cache, so that no lock files pile up. An "open file description"
/// lock (fcntl(2), F_OFD_SETLK): it ends with the process however that dies, and excludes threads and other caches of
/// the same process too, since each has opened the file for itself.
class KeyLock {
public:
  enum class State { held, busy, unavailable };

  /// Opens the lock file in `root`, which exists. Takes nothing yet.
  KeyLock(const FileSystem &files, const std::string &root, LockSlot slot);
  KeyLock(const KeyLock &) = delete;
  KeyLock &operator=(const KeyLock &) = delete;
  ~KeyLock();

  /// Tries once, never waits. Unavailable: the file can't be opened or the file system has no locks.
  State attempt();
  /// Why it is unavailable: an errno.
  [[nodiscard]] int error() const { return error_; }

private:
  int set(short type);

  const FileSystem &files_;
  Descriptor file_;
  LockSlot slot_;
  int error_ = 0;
  bool held_ = false;
};

} // namespace tegula
