// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the known name that a mistyped one was meant to be.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tegula {

/// "; did you mean 'gemm'?" for the nearest of `known` within a third of its length in edits, else "".
[[nodiscard]] std::string near_miss(std::string_view given, std::span<const std::string_view> known);

} // namespace tegula
