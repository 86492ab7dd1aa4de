// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Temporaries with names of their own and a lock that dies with the process.
#include "runtime/cache/temporary_file.h"

#include <cerrno>
#include <ctime>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <fmt/format.h>

namespace tegula {
namespace {

constexpr int kAttempts = 16;

/// Process, time and the object's place make a clash unlikely; O_EXCL makes it harmless.
std::string fresh_name(const void *object, int attempt) {
  struct timespec now;
  ::clock_gettime(CLOCK_REALTIME, &now);
  return fmt::format(".tmp-{}-{:x}{:x}-{:x}-{}", ::getpid(), now.tv_sec, now.tv_nsec,
                     reinterpret_cast<uintptr_t>(object), attempt);
}

} // namespace

TemporaryFile::TemporaryFile(const FileSystem &files, const Descriptor &directory)
    : files_(files), directory_(directory) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    name_ = fresh_name(this, attempt);
    file_ = files_.open(IoStep::create_temporary, directory.fd(), name_, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (!file_ && file_.error() != EEXIST)
      return;
    if (file_ && claim())
      return;
  }
  file_ = Descriptor::failed(EEXIST);
}

TemporaryFile::~TemporaryFile() {
  if (!file_)
    return;
  if (!name_.empty())
    (void)files_.remove(directory_, name_);
  (void)::flock(file_.fd(), LOCK_UN); // A child forked meanwhile shares the description and would keep the lock.
}

bool TemporaryFile::claim() {
  if (::flock(file_.fd(), LOCK_EX | LOCK_NB) != 0)
    return errno != EWOULDBLOCK; // A sweep has it, and removes it. No locks here at all: sweeps go by age.
  struct stat status;
  return ::fstat(file_.fd(), &status) == 0 && status.st_nlink > 0;
}

int TemporaryFile::fill_and_rename(std::string_view bytes, const std::string &name) {
  int error = files_.write_all(file_, bytes);
  if (error == 0)
    error = files_.sync_file(file_);
  if (error == 0)
    error = files_.rename(directory_, name_, name);
  if (error == 0)
    name_.clear();
  return error;
}

} // namespace tegula
