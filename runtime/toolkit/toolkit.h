// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the programs of a CUDA toolkit, where there is one: the assembler and the disassemblers. Nothing needs them to
// build or to run; without ptxas the driver compiles PTX.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/result/result.h"

namespace tegula {

struct ToolkitOptions {
  /// Tried first, before TEGULA_PTXAS, PATH, CUDA_HOME/bin and /usr/local/cuda/bin.
  std::optional<std::filesystem::path> ptxas;
};

/// A version of a toolkit.
struct ToolkitVersion {
  int major = 0;
  int minor = 0;
  auto operator<=>(const ToolkitVersion &) const = default;
};
[[nodiscard]] std::string to_string(const ToolkitVersion &version);

struct Tool {
  std::filesystem::path path;
  std::string found_by; ///< "--ptxas", "TEGULA_PTXAS", "PATH", "CUDA_HOME" or "/usr/local/cuda"
  ToolkitVersion version;
  std::string build; ///< the tool's own words for its build, "V13.0.88"; part of the cache key
};

/// The places where a tool of that name exists, in the order in which they are tried, unopened.
[[nodiscard]] std::vector<Tool> tool_candidates(std::string_view name, const ToolkitOptions &options = {});

/// The first toolkit whose assembler knows an architecture (CUDA toolkit release notes); nothing when any does.
[[nodiscard]] std::optional<ToolkitVersion> toolkit_needed(std::string_view arch);

/// The first ptxas that runs and knows `arch` (empty: any). Asks each for its version.
/// \errors not_found: there is none, or each is too old: all found are named, with version and what is needed.
[[nodiscard]] Result<Tool> find_ptxas(std::string_view arch = {}, const ToolkitOptions &options = {});

/// nvdisasm, cuobjdump and the like.
/// \errors not_found, naming the places that were looked at.
[[nodiscard]] Result<Tool> find_tool(std::string_view name, const ToolkitOptions &options = {});

/// What a tool prints for --version, understood.
struct VersionText {
  ToolkitVersion version;
  std::string build;
};
[[nodiscard]] std::optional<VersionText> read_version(std::string_view text);

} // namespace tegula
