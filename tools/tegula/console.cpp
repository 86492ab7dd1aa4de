// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes to stderr and knows whether anybody looks.
#include "tools/tegula/console.h"

#include <cstdio>
#include <unistd.h>

#include <fmt/format.h>

namespace tegula {

void print_error(const Error &error) { fmt::print(stderr, "tegula: error: {}\n", error.message()); }
void print_warning(std::string_view text) { fmt::print(stderr, "tegula: warning: {}\n", text); }

int exit_status(const Error &error) {
  return error.code() == ErrorCode::bad_argument || error.code() == ErrorCode::not_found ? 2 : 1;
}

std::string verdict_word(bool passed) {
  if (!isatty(STDOUT_FILENO))
    return passed ? "ok" : "FAILED";
  return passed ? "\033[32mok\033[0m" : "\033[31mFAILED\033[0m";
}

Progress::Progress(std::string what, int64_t total)
    : what_(std::move(what)), total_(total), terminal_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
  if (shown_)
    fmt::print(stderr, "\r\033[K");
}

void Progress::step() {
  const int64_t done = ++done_;
  if (!terminal_ || std::chrono::steady_clock::now() - began_ < std::chrono::seconds(2))
    return;
  const std::lock_guard lock(mutex_);
  shown_ = true;
  fmt::print(stderr, "\r{} {} of {}\033[K", what_, done, total_);
}

} // namespace tegula
