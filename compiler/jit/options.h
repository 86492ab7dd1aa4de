// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The JIT's options as a plain value, generated from options.def.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/result/result.h"

namespace tegula {

enum class InKey { no, yes };

struct JitOptions {
#define TEGULA_JIT_OPTION(type, name, initial, in_key, help) type name = initial;
#include "compiler/jit/options.def"
#undef TEGULA_JIT_OPTION
};

struct JitOptionInfo {
  std::string_view name, help;
  std::string value; ///< of the options given
  InKey in_key;
};

/// Each option with its value, in the table's order: for help, for `tegula doctor` and for the cache key.
[[nodiscard]] std::vector<JitOptionInfo> list_options(const JitOptions &options);

/// Sets one option from text: set_option(options, "assemble", "false").
/// \errors bad_argument: no such option, or not a value of its type.
[[nodiscard]] Result<void> set_option(JitOptions &options, std::string_view name, std::string_view value);

/// "arch=sm_90a debug=lines assemble=1": those that can change the code.
[[nodiscard]] std::string key_text(const JitOptions &options);

} // namespace tegula
