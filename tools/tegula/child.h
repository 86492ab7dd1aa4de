// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs this program again as a child, to measure what only a new process shows.
#pragma once

#include <string>
#include <vector>

#include "runtime/result/result.h"

namespace tegula {

struct ChildRun {
  double wall_us = 0;
  int64_t peak_bytes = 0;
  std::string output; ///< its stdout
};

/// \errors io_error: it could not be started; internal: it failed, with what it printed.
[[nodiscard]] Result<ChildRun> run_self(const std::vector<std::string> &words);

} // namespace tegula
