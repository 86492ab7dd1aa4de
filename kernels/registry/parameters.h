// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters of kernels as the command line gives them: name=value words, checked against what a kernel declares.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/result/complaints.h"
#include "runtime/result/result.h"

namespace tegula {

struct Parameter {
  std::string name;
  std::string initial; ///< the value when it isn't given
  std::string help;
};

/// Values by name; those that were not given have their initial value.
using ParameterValues = std::map<std::string, std::string, std::less<>>;

/// Reads "m=128"-like words.
/// \errors bad_argument: every word that is no name=value, names that `kernel` doesn't have (with the nearest that it
///         has) or that come twice, all at once.
[[nodiscard]] Result<ParameterValues> read_parameters(std::string_view kernel, std::span<const Parameter> known,
                                                      std::span<const std::string> words);

/// A whole number in [least, most]; adds to `wrong` what is the matter otherwise.
[[nodiscard]] int64_t read_integer(const ParameterValues &values, std::string_view name, int64_t least, int64_t most,
                                   Complaints &wrong);
[[nodiscard]] double read_number(const ParameterValues &values, std::string_view name, Complaints &wrong);

/// The value's place in `choices`; 0 and a complaint if it isn't there.
[[nodiscard]] size_t read_choice(const ParameterValues &values, std::string_view name,
                                 std::span<const std::string_view> choices, Complaints &wrong);

/// "name=value" for each value that isn't initial, in the order of `known`.
[[nodiscard]] std::string to_string(const ParameterValues &values, std::span<const Parameter> known);

} // namespace tegula
