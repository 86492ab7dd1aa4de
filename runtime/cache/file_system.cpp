// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// System calls with their loops over signals and short counts.
#include "runtime/cache/file_system.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <unistd.h>

namespace tegula {
namespace {

/// Small enough that a large entry takes several writes, which tests of a full disk and of killed writers rely on.
constexpr size_t kWriteBytes = 64 * 1024;

template <typename Call> auto retry_on_signal(Call call) {
  auto answer = call();
  while (answer < 0 && errno == EINTR)
    answer = call();
  return answer;
}

template <typename Call> int error_of(Call call) { return retry_on_signal(call) < 0 ? errno : 0; }

} // namespace

Descriptor &Descriptor::operator=(Descriptor &&other) noexcept {
  if (this != &other) {
    close();
    fd_ = std::exchange(other.fd_, -1);
    error_ = other.error_;
  }
  return *this;
}

void Descriptor::close() {
  if (fd_ >= 0)
    ::close(std::exchange(fd_, -1)); // Linux frees the number even on EINTR: not to be repeated.
}

Descriptor FileSystem::open(IoStep step, int directory, const std::string &path, int flags, mode_t mode) const {
  if (int error = before(step))
    return Descriptor::failed(error);
  int fd = retry_on_signal([&] { return ::openat(directory, path.c_str(), flags | O_CLOEXEC, mode); });
  return fd < 0 ? Descriptor::failed(errno) : Descriptor::opened(fd);
}

Descriptor FileSystem::open(IoStep step, const std::string &path, int flags, mode_t mode) const {
  return open(step, AT_FDCWD, path, flags, mode);
}

Descriptor FileSystem::open_shared(IoStep step, const std::string &path, int flags) const {
  Descriptor created = open(step, path, flags | O_CREAT | O_EXCL, 0666);
  if (!created) {
    if (created.error() != EEXIST)
      return created;
    return open(step, path, flags);
  }
  struct stat folder;
  std::string parent = path.substr(0, path.rfind('/') + 1);
  if (::stat(parent.c_str(), &folder) == 0 && (folder.st_mode & 0022) != 0)
    (void)::fchmod(created.fd(), folder.st_mode & 0666); // As the umask left it if that fails: others do without.
  return created;
}

int FileSystem::make_directories(const std::string &path, mode_t mode) const {
  int first_error = 0;
  for (size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    std::string upper = path.substr(0, end);
    int error = before(IoStep::create_directory);
    if (error == 0 && ::mkdir(upper.c_str(), mode) != 0 && errno != EEXIST)
      error = errno;
    // A folder above may refuse to be made and yet be there: only the last one decides, the first says why.
    if (first_error == 0)
      first_error = error;
    if (end == std::string::npos)
      return error == 0 ? 0 : first_error;
  }
}

int FileSystem::write_all(const Descriptor &file, std::string_view bytes) const {
  while (!bytes.empty()) {
    if (int error = before(IoStep::write))
      return error;
    size_t size = std::min(bytes.size(), kWriteBytes);
    ssize_t written = retry_on_signal([&] { return ::write(file.fd(), bytes.data(), size); });
    if (written < 0)
      return errno;
    if (written == 0)
      return EIO;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

int FileSystem::read_up_to(const Descriptor &file, int64_t size, std::string &out) const {
  if (int error = before(IoStep::read))
    return error;
  out.resize(static_cast<size_t>(size));
  size_t have = 0;
  while (have < out.size()) {
    ssize_t got = retry_on_signal(
        [&] { return ::pread(file.fd(), out.data() + have, out.size() - have, static_cast<off_t>(have)); });
    if (got < 0)
      return errno;
    if (got == 0)
      break;
    have += static_cast<size_t>(got);
  }
  out.resize(have);
  return 0;
}

int FileSystem::sync_file(const Descriptor &file) const {
  if (int error = before(IoStep::sync_file))
    return error;
  return error_of([&] { return ::fsync(file.fd()); });
}

int FileSystem::sync_directory(const Descriptor &directory) const {
  if (int error = before(IoStep::sync_directory))
    return error;
  int error = error_of([&] { return ::fsync(directory.fd()); });
  return error == EINVAL ? 0 : error;
}

int FileSystem::rename(const Descriptor &directory, const std::string &from, const std::string &to) const {
  if (int error = before(IoStep::rename))
    return error;
  return error_of([&] { return ::renameat(directory.fd(), from.c_str(), directory.fd(), to.c_str()); });
}

int FileSystem::remove(const Descriptor &directory, const std::string &name) const {
  if (int error = before(IoStep::remove))
    return error;
  return error_of([&] { return ::unlinkat(directory.fd(), name.c_str(), 0); });
}

int FileSystem::touch(const Descriptor &file) const {
  if (int error = before(IoStep::touch))
    return error;
  const struct timespec times[2] = {{0, UTIME_OMIT}, {0, UTIME_NOW}};
  return error_of([&] { return ::futimens(file.fd(), times); });
}

} // namespace tegula
