// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An entry while it is written: a file of a name that nobody reads, locked as long as its writer lives.
#pragma once

#include <string>
#include <string_view>

#include "runtime/cache/file_system.h"

namespace tegula {

/// Removes its file unless it was renamed. A killed writer's file stays, without a lock: sweeps remove those.
class TemporaryFile {
public:
  /// Makes one in `directory`, which outlives this. On failure `error()` says why.
  TemporaryFile(const FileSystem &files, const Descriptor &directory);
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;
  ~TemporaryFile();

  [[nodiscard]] int error() const { return file_ ? 0 : file_.error(); }
  /// Writes all bytes, syncs them and gives the file its name. \returns 0 or an errno.
  [[nodiscard]] int fill_and_rename(std::string_view bytes, const std::string &name);

private:
  [[nodiscard]] bool claim();

  const FileSystem &files_;
  const Descriptor &directory_;
  std::string name_;
  Descriptor file_;
};

} // namespace tegula
