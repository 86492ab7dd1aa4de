// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parsing and printing of the JIT's options.
#include "compiler/jit/options.h"

#include <charconv>

#include <fmt/format.h>

namespace tegula {
namespace {

std::string print(const std::string &value) { return value; }
std::string print(bool value) { return value ? "true" : "false"; }
std::string print(int64_t value) { return std::to_string(value); }

bool parse(std::string_view text, std::string &value) {
  value = text;
  return true;
}

bool parse(std::string_view text, bool &value) {
  value = text == "true" || text == "1";
  return value || text == "false" || text == "0";
}

bool parse(std::string_view text, int64_t &value) {
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  return status == std::errc() && end == text.data() + text.size();
}

} // namespace

std::vector<JitOptionInfo> list_options(const JitOptions &options) {
  return {
#define TEGULA_JIT_OPTION(type, name, initial, in_key, help) JitOptionInfo{#name, help, print(options.name), in_key},
#include "compiler/jit/options.def"
#undef TEGULA_JIT_OPTION
  };
}

Result<void> set_option(JitOptions &options, std::string_view name, std::string_view value) {
#define TEGULA_JIT_OPTION(type, option, initial, in_key, help)                                                         \
  if (name == #option) {                                                                                               \
    if (parse(value, options.option))                                                                                  \
      return {};                                                                                                       \
    return Error(ErrorCode::bad_argument, fmt::format("{} is '{}', which is no " #type, name, value));                 \
  }
#include "compiler/jit/options.def"
#undef TEGULA_JIT_OPTION
  std::string names;
  for (const JitOptionInfo &option : list_options(options))
    names += fmt::format("{}{}", names.empty() ? "" : ", ", option.name);
  return Error(ErrorCode::bad_argument, fmt::format("no JIT option '{}'; there are {}", name, names));
}

std::string key_text(const JitOptions &options) {
  std::string text;
  for (const JitOptionInfo &option : list_options(options))
    if (option.in_key == InKey::yes)
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", option.name, option.value);
  return text;
}

} // namespace tegula
