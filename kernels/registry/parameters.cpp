// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads name=value words and says everything that is wrong with them at once.
#include "kernels/registry/parameters.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "kernels/naming/near_miss.h"

namespace tegula {

Result<ParameterValues> read_parameters(std::string_view kernel, std::span<const Parameter> known,
                                        std::span<const std::string> words) {
  ParameterValues values;
  Complaints wrong;
  for (const std::string &word : words) {
    const size_t equals = word.find('=');
    if (equals == 0 || equals == std::string::npos) {
      wrong.add(fmt::format("'{}' is not of the form name=value", word));
      continue;
    }
    const std::string name = word.substr(0, equals);
    if (std::none_of(known.begin(), known.end(), [&](const Parameter &p) { return p.name == name; })) {
      std::vector<std::string_view> names;
      for (const Parameter &parameter : known)
        names.push_back(parameter.name);
      wrong.add(fmt::format("{} has no parameter '{}'{}; it has {}", kernel, name, near_miss(name, names),
                            fmt::join(names, ", ")));
    } else if (!values.emplace(name, word.substr(equals + 1)).second) {
      wrong.add(fmt::format("'{}' is given twice", name));
    }
  }
  TEGULA_CHECK(wrong.verdict("bad parameters"));
  for (const Parameter &parameter : known)
    values.emplace(parameter.name, parameter.initial);
  return values;
}

int64_t read_integer(const ParameterValues &values, std::string_view name, int64_t least, int64_t most,
                     Complaints &wrong) {
  const std::string &text = values.find(name)->second;
  int64_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status == std::errc() && end == text.data() + text.size() && value >= least && value <= most)
    return value;
  wrong.add(fmt::format("{} is '{}'; it must be a whole number from {} to {}", name, text, least, most));
  return least;
}

double read_number(const ParameterValues &values, std::string_view name, Complaints &wrong) {
  const std::string &text = values.find(name)->second;
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status == std::errc() && end == text.data() + text.size())
    return value;
  wrong.add(fmt::format("{} is '{}'; it must be a number", name, text));
  return 0;
}

size_t read_choice(const ParameterValues &values, std::string_view name, std::span<const std::string_view> choices,
                   Complaints &wrong) {
  const std::string &text = values.find(name)->second;
  const auto found = std::find(choices.begin(), choices.end(), text);
  if (found != choices.end())
    return static_cast<size_t>(found - choices.begin());
  wrong.add(fmt::format("{} is '{}'; it must be one of {}", name, text, fmt::join(choices, ", ")));
  return 0;
}

std::string to_string(const ParameterValues &values, std::span<const Parameter> known) {
  std::string text;
  for (const Parameter &parameter : known)
    if (const auto value = values.find(parameter.name); value != values.end() && value->second != parameter.initial)
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", parameter.name, value->second);
  return text;
}

} // namespace tegula
