// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors keep their state on the heap, so that a Result that succeeded stays small.
#include "runtime/result/error.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

namespace tegula {

struct Error::State {
  ErrorCode code;
  std::string message;
  std::vector<std::source_location> origin;
};

std::string_view name(ErrorCode code) {
  switch (code) {
  case ErrorCode::bad_argument: return "bad_argument";
  case ErrorCode::unsupported: return "unsupported";
  case ErrorCode::not_found: return "not_found";
  case ErrorCode::no_driver: return "no_driver";
  case ErrorCode::no_device: return "no_device";
  case ErrorCode::wrong_architecture: return "wrong_architecture";
  case ErrorCode::out_of_memory: return "out_of_memory";
  case ErrorCode::driver_error: return "driver_error";
  case ErrorCode::io_error: return "io_error";
  case ErrorCode::internal: return "internal";
  }
  return "unknown";
}

Error::Error(ErrorCode code, std::string message, std::source_location where)
    : state_(new State{code, std::move(message), {where}}) {}
Error::Error(const Error &other) : state_(other.state_ ? new State(*other.state_) : nullptr) {}
Error::Error(Error &&) noexcept = default;
Error &Error::operator=(const Error &other) {
  state_.reset(other.state_ ? new State(*other.state_) : nullptr);
  return *this;
}
Error &Error::operator=(Error &&) noexcept = default;
Error::~Error() = default;

ErrorCode Error::code() const { return state_->code; }
const std::string &Error::message() const { return state_->message; }
std::span<const std::source_location> Error::origin() const { return state_->origin; }

std::string Error::describe() const {
  std::string text = state_->message;
  for (const std::source_location &where : state_->origin)
    text += fmt::format("\n  at {}:{} in {}", where.file_name(), where.line(), where.function_name());
  return text;
}

Error &&Error::through(std::source_location where) && {
  state_->origin.push_back(where);
  return std::move(*this);
}

Error &&Error::while_doing(std::string_view what) && {
  state_->message.insert(0, fmt::format("{}: ", what));
  return std::move(*this);
}

} // namespace tegula
