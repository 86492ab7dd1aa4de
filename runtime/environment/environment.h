// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The only place that reads environment variables, and for paths and devices alone: nothing here alters code.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tegula {

/// What the environment gave, read when asked for.
struct Environment {
  std::optional<std::string> home;             ///< HOME
  std::optional<std::string> xdg_cache_home;   ///< XDG_CACHE_HOME
  std::optional<std::string> path;             ///< PATH
  std::optional<std::string> cuda_home;        ///< CUDA_HOME
  std::optional<std::string> cache_dir;        ///< TEGULA_CACHE_DIR: the kernel cache's folder
  std::optional<std::string> ptxas;            ///< TEGULA_PTXAS: the assembler to use
  std::optional<std::string> emulator_devices; ///< TEGULA_EMULATOR_DEVICES: what the emulator shows, "sm_90a,sm_100a"
};

/// Reads it. An empty variable counts as not set.
[[nodiscard]] Environment read_environment();

/// One variable that Tegula reads, for `tegula doctor`.
struct EnvironmentVariable {
  std::string_view name;
  std::string_view meaning;
  std::optional<std::string> value;
};

/// All of them in a fixed order, with what they are for and what they hold.
[[nodiscard]] std::vector<EnvironmentVariable> list_environment();

} // namespace tegula
