// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operating system as the disk cache sees it: every call survives signals, can be made to fail by a FaultHook, and
// answers with errno's number (0: done), because the cache decides by it and only then words a message.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include <sys/stat.h>

#include "runtime/cache/io_step.h"

namespace tegula {

/// An open file, or the errno for which it isn't.
class Descriptor {
public:
  Descriptor() = default;
  static Descriptor opened(int fd) { return Descriptor(fd, 0); }
  static Descriptor failed(int error) { return Descriptor(-1, error); }
  Descriptor(Descriptor &&other) noexcept : fd_(std::exchange(other.fd_, -1)), error_(other.error_) {}
  Descriptor &operator=(Descriptor &&other) noexcept;
  ~Descriptor() { close(); }

  explicit operator bool() const { return fd_ >= 0; }
  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] int error() const { return error_; }
  void close();

private:
  Descriptor(int fd, int error) : fd_(fd), error_(error) {}

  int fd_ = -1;
  int error_ = 0;
};

class FileSystem {
public:
  explicit FileSystem(FaultHook before_step) : before_step_(std::move(before_step)) {}

  /// openat(2), always close-on-exec. `flags` and `mode` as there.
  [[nodiscard]] Descriptor open(IoStep step, int directory, const std::string &path, int flags, mode_t mode = 0) const;
  [[nodiscard]] Descriptor open(IoStep step, const std::string &path, int flags, mode_t mode = 0) const;
  /// Opens a file for writing that others share, created if need be. Where the folder may be written by other users,
  /// so may the file, whatever the umask: else the first user's files would shut the others out.
  [[nodiscard]] Descriptor open_shared(IoStep step, const std::string &path, int flags) const;

  /// Makes the folder and what is missing above it.
  [[nodiscard]] int make_directories(const std::string &path, mode_t mode) const;
  [[nodiscard]] int write_all(const Descriptor &file, std::string_view bytes) const;
  /// Reads up to `size` bytes from the start; `out` is shorter if the file is.
  [[nodiscard]] int read_up_to(const Descriptor &file, int64_t size, std::string &out) const;
  [[nodiscard]] int sync_file(const Descriptor &file) const;
  /// A file system that can't sync folders (EINVAL) has nothing to sync.
  [[nodiscard]] int sync_directory(const Descriptor &directory) const;
  [[nodiscard]] int rename(const Descriptor &directory, const std::string &from, const std::string &to) const;
  [[nodiscard]] int remove(const Descriptor &directory, const std::string &name) const;
  /// Sets the time of last change to now.
  [[nodiscard]] int touch(const Descriptor &file) const;

  /// The hook's answer for a step that the caller takes by itself.
  [[nodiscard]] int before(IoStep step) const { return before_step_ ? before_step_(step) : 0; }

private:
  FaultHook before_step_;
};

} // namespace tegula
