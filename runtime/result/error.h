// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What went wrong: a code for programs, a message for people, and the places in Tegula that it came through.
#pragma once

#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <string_view>

namespace tegula {

enum class ErrorCode {
  bad_argument,       ///< the caller gave something that can't be right; the message names it, with value and limit
  unsupported,        ///< right in itself, but this driver, device or toolkit lacks it
  not_found,          ///< a file, symbol, kernel or tool that was asked for by name
  no_driver,          ///< no driver library, or one that is too old
  no_device,          ///< a driver, but no device of that number or kind
  wrong_architecture, ///< the image was built for another architecture than the device's
  out_of_memory,      ///< of the device or of the host; nothing was allocated
  driver_error,       ///< the driver refused a call; the message holds its name for the fault
  io_error,           ///< a file could not be read or written
  internal,           ///< a fault of Tegula's own
};

/// The code's name as in the enum, e.g. "bad_argument".
[[nodiscard]] std::string_view name(ErrorCode code);

/// An error. Cheap to move; empty only after it was moved from.
///     return Error(ErrorCode::bad_argument, "m is -1; it must be at least 0");
class [[nodiscard]] Error {
public:
  Error(ErrorCode code, std::string message, std::source_location where = std::source_location::current());
  Error(const Error &other);
  Error(Error &&) noexcept;
  Error &operator=(const Error &other);
  Error &operator=(Error &&) noexcept;
  ~Error();

  [[nodiscard]] ErrorCode code() const;
  /// Lower case, no full stop; several lines where several things are wrong.
  [[nodiscard]] const std::string &message() const;
  /// Where the error began, then each TEGULA_TRY that handed it up.
  [[nodiscard]] std::span<const std::source_location> origin() const;
  /// The message, then a line for each place of `origin`.
  [[nodiscard]] std::string describe() const;

  /// Notes that the error was handed up here.
  Error &&through(std::source_location where = std::source_location::current()) &&;
  /// Says what was being done: "cannot load 'gemm': " + message. The code and the origin stay.
  Error &&while_doing(std::string_view what) &&;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace tegula
