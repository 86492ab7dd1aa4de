// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a program with arguments and captures what it prints. No shell is involved.
#pragma once

#include <chrono>
#include <span>
#include <string>

#include "runtime/result/result.h"

namespace tegula {

struct ChildResult {
  int exit_status = 0; ///< -1 when a signal ended it
  int signal = 0;      ///< 0 when it ended by itself
  std::string out;
  std::string err;

  [[nodiscard]] bool ok() const { return exit_status == 0 && signal == 0; }
};

/// \param command  the program's path, then its arguments.
/// \errors not_found when it can't be started; io_error, when it ran past `patience` and was killed, and otherwise.
[[nodiscard]] Result<ChildResult> run_child(std::span<const std::string> command,
                                            std::chrono::milliseconds patience = std::chrono::minutes(10));

} // namespace tegula
