// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collects everything that is wrong with an input, so that it is said at once and not one fault a run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/result/result.h"

namespace tegula {

///     Complaints wrong;
///     if (m < 0) wrong.add(fmt::format("m is {}; it must be at least 0", m));
///     return wrong.verdict("cannot launch 'gemm'");
class Complaints {
public:
  /// The first complaint's code becomes the error's.
  void add(std::string message, ErrorCode code = ErrorCode::bad_argument);

  [[nodiscard]] bool empty() const { return messages_.empty(); }
  [[nodiscard]] const std::vector<std::string> &messages() const { return messages_; }

  /// Success if there are none. One complaint reads "what: complaint"; several are listed, a line each.
  [[nodiscard]] Result<void> verdict(std::string_view what,
                                     std::source_location where = std::source_location::current()) const;

private:
  std::vector<std::string> messages_;
  ErrorCode code_ = ErrorCode::bad_argument;
};

} // namespace tegula
