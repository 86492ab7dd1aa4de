// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Result<T>: a value or an Error. Nothing in the runtime throws, aborts or returns a bare false across an API.
#pragma once

#include <cassert>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "runtime/result/error.h"

namespace tegula {

/// A value of T, or the Error that says why there is none.
///     Result<Module> module = Module::load(context, image);
///     if (!module) return fprintf(stderr, "%s\n", module.error().message().c_str()), 1;
///     use(*module);
/// Reading the value of a failed result, or the error of one that succeeded, is a fault of the program (asserted).
template <typename T> class [[nodiscard]] Result {
public:
  using value_type = T;

  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : content_(std::in_place_index<1>, std::move(error)) {}
  /// From anything that T is built from, so that `return std::move(x);` and `return nullptr;` read naturally.
  template <typename U>
    requires(std::is_convertible_v<U, T> && !std::is_same_v<std::remove_cvref_t<U>, T> &&
             !std::is_same_v<std::remove_cvref_t<U>, Error> && !std::is_same_v<std::remove_cvref_t<U>, Result>)
  Result(U &&value) : content_(std::in_place_index<0>, std::forward<U>(value)) {}

  [[nodiscard]] bool ok() const { return content_.index() == 0; }
  explicit operator bool() const { return ok(); }

  [[nodiscard]] T &value() & { return assert(ok()), *std::get_if<0>(&content_); }
  [[nodiscard]] const T &value() const & { return assert(ok()), *std::get_if<0>(&content_); }
  [[nodiscard]] T &&value() && { return assert(ok()), std::move(*std::get_if<0>(&content_)); }
  T &operator*() & { return value(); }
  const T &operator*() const & { return value(); }
  T &&operator*() && { return std::move(*this).value(); }
  T *operator->() { return &value(); }
  const T *operator->() const { return &value(); }
  template <typename U> [[nodiscard]] T value_or(U &&other) && {
    return ok() ? std::move(*this).value() : T(std::forward<U>(other));
  }

  [[nodiscard]] const Error &error() const & { return assert(!ok()), *std::get_if<1>(&content_); }
  [[nodiscard]] Error &&error() && { return assert(!ok()), std::move(*std::get_if<1>(&content_)); }

private:
  std::variant<T, Error> content_;
};

/// Success, or the Error: `return {};` or `return Error(...)`.
template <> class [[nodiscard]] Result<void> {
public:
  using value_type = void;

  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  [[nodiscard]] bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  [[nodiscard]] const Error &error() const & { return assert(!ok()), *error_; }
  [[nodiscard]] Error &&error() && { return assert(!ok()), std::move(*error_); }

private:
  std::optional<Error> error_;
};

} // namespace tegula

#define TEGULA_RESULT_JOIN2(a, b) a##b
#define TEGULA_RESULT_JOIN(a, b) TEGULA_RESULT_JOIN2(a, b)
#define TEGULA_TRY_AS(result, declaration, ...)                                                                        \
  auto result = (__VA_ARGS__);                                                                                         \
  if (!result.ok())                                                                                                    \
    return std::move(result).error().through(std::source_location::current());                                         \
  declaration = std::move(result).value()

/// Declares (or assigns) from a Result, or returns its error from this function, noting this line in the origin:
///     TEGULA_TRY(Module module, Module::load(context, image));
#define TEGULA_TRY(declaration, ...)                                                                                   \
  TEGULA_TRY_AS(TEGULA_RESULT_JOIN(tegula_result_, __COUNTER__), declaration, __VA_ARGS__)

/// The same for a Result whose value isn't wanted, Result<void> above all: `TEGULA_CHECK(stream.synchronize());`
#define TEGULA_CHECK(...)                                                                                              \
  do {                                                                                                                 \
    auto tegula_checked = (__VA_ARGS__);                                                                               \
    if (!tegula_checked.ok())                                                                                          \
      return std::move(tegula_checked).error().through(std::source_location::current());                               \
  } while (false)
