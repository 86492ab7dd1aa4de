// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns a list of complaints into one error.
#include "runtime/result/complaints.h"

#include <fmt/format.h>

namespace tegula {

void Complaints::add(std::string message, ErrorCode code) {
  if (messages_.empty())
    code_ = code;
  messages_.push_back(std::move(message));
}

Result<void> Complaints::verdict(std::string_view what, std::source_location where) const {
  if (messages_.empty())
    return {};
  if (messages_.size() == 1)
    return Error(code_, fmt::format("{}: {}", what, messages_.front()), where);
  std::string text = fmt::format("{}, for {} reasons:", what, messages_.size());
  for (const std::string &message : messages_)
    text += fmt::format("\n  - {}", message);
  return Error(code_, std::move(text), where);
}

} // namespace tegula
