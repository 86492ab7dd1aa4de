// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a person sees: errors, verdicts, progress. Colours and progress on a terminal only.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "runtime/result/result.h"

namespace tegula {

/// "tegula: error: ..." on stderr.
void print_error(const Error &error);
/// "tegula: warning: ..." on stderr.
void print_warning(std::string_view text);

/// 2 for what the caller asked wrongly (bad_argument, not_found), 1 for everything else.
[[nodiscard]] int exit_status(const Error &error);

/// "ok" in green or "FAILED" in red where stdout is a terminal.
[[nodiscard]] std::string verdict_word(bool passed);

/// "compiling 12 of 40" on stderr, from the third second on and on a terminal only; wiped out at the end.
class Progress {
public:
  Progress(std::string what, int64_t total);
  ~Progress();
  /// From any thread.
  void step();

private:
  std::string what_;
  int64_t total_;
  std::atomic<int64_t> done_ = 0;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  bool terminal_;
  std::mutex mutex_;
  bool shown_ = false;
};

} // namespace tegula
