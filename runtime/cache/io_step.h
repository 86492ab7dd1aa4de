// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The steps that the disk cache takes through the operating system, one name for each, so that a test can fail or stop
// the process at every one of them.
#pragma once

#include <functional>

namespace tegula {

enum class IoStep {
  create_directory,
  open_directory,
  open_entry,
  read,
  touch,
  open_lock,
  lock,
  unlock,
  account,
  create_temporary,
  write,
  sync_file,
  rename,
  sync_directory,
  remove,
};

/// Called before each step, from any thread: 0 lets it happen, an errno makes it fail with that.
using FaultHook = std::function<int(IoStep)>;

} // namespace tegula
