// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A value, or the sentence that says why there is none. Layout questions ("can ldmatrix read this?") often have the
// answer no, and a pattern that does not apply hands the reason on; so the reason travels with the answer.
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace tegula::layout {

/// Why something does not fit: lower case, no full stop, names the value and the limit.
struct [[nodiscard]] Misfit {
  std::string reason;
};

/// Either a `T` or the reason why there is none.
///     if (auto plan = plan_descriptor(layout, 1)) use(plan->constant_bits);
///     else return rewriter.notifyMatchFailure(op, plan.reason());
template <typename T> class [[nodiscard]] Outcome {
public:
  Outcome(T value) : value_(std::move(value)) {}
  Outcome(Misfit misfit) : reason_(std::move(misfit.reason)) {}

  explicit operator bool() const { return value_.has_value(); }
  const T &operator*() const { return *value_; }
  const T *operator->() const { return &*value_; }
  /// Empty when there is a value.
  const std::string &reason() const { return reason_; }

private:
  std::optional<T> value_;
  std::string reason_;
};

} // namespace tegula::layout
