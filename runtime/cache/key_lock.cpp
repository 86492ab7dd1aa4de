// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Open file description locks on single bytes.
#include "runtime/cache/key_lock.h"

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

namespace tegula {

KeyLock::KeyLock(const FileSystem &files, const std::string &root, LockSlot slot)
    : files_(files), file_(files.open_shared(IoStep::open_lock, root + "/cache.lock", O_RDWR)), slot_(slot),
      error_(file_ ? 0 : file_.error()) {}

KeyLock::~KeyLock() {
  // Closing is not enough: a child forked meanwhile shares the description and would keep the lock.
  if (held_ && files_.before(IoStep::unlock) == 0)
    set(F_UNLCK);
}

int KeyLock::set(short type) {
  struct flock range = {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = slot_.offset;
  range.l_len = 1;
  int answer;
  do
    answer = ::fcntl(file_.fd(), F_OFD_SETLK, &range);
  while (answer < 0 && errno == EINTR);
  return answer < 0 ? errno : 0;
}

KeyLock::State KeyLock::attempt() {
  if (!file_)
    return State::unavailable;
  int error = files_.before(IoStep::lock);
  if (error == 0)
    error = set(F_WRLCK);
  held_ = error == 0;
  if (held_)
    return State::held;
  if (error == EAGAIN || error == EACCES)
    return State::busy;
  error_ = error;
  return State::unavailable;
}

} // namespace tegula
