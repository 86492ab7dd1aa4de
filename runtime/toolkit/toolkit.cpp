// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where tools lie and which is new enough.
#include "runtime/toolkit/toolkit.h"

#include <algorithm>
#include <charconv>
#include <chrono>

#include <fmt/format.h>
#include <unistd.h>

#include "runtime/driver/arch.h"
#include "runtime/environment/environment.h"
#include "runtime/toolkit/child_process.h"

namespace tegula {
namespace {

constexpr std::chrono::seconds kVersionPatience{20};
constexpr std::string_view kSystemToolkit = "/usr/local/cuda";

struct Need {
  int major, minor;
  ToolkitVersion toolkit;
};
// Release notes of CUDA 12.0, 12.8 and 12.9.
constexpr Need kNeeds[] = {{9, 0, {12, 0}},  {10, 0, {12, 8}}, {10, 1, {12, 8}}, {10, 3, {12, 9}},
                           {11, 0, {13, 0}}, {12, 0, {12, 8}}, {12, 1, {12, 9}}};

bool is_program(const std::filesystem::path &path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

// Fills in the version; nothing when the tool doesn't run or says nothing that can be understood.
bool ask_version(Tool &tool) {
  std::string command[] = {tool.path.string(), "--version"};
  auto answer = run_child(command, kVersionPatience);
  if (!answer || !answer->ok())
    return false;
  auto read = read_version(answer->out);
  if (!read)
    return false;
  tool.version = read->version;
  tool.build = read->build;
  return true;
}

} // namespace

std::string to_string(const ToolkitVersion &version) { return fmt::format("{}.{}", version.major, version.minor); }

std::optional<VersionText> read_version(std::string_view text) {
  constexpr std::string_view kRelease = "release ";
  size_t at = text.find(kRelease);
  if (at == std::string_view::npos)
    return std::nullopt;
  text.remove_prefix(at + kRelease.size());
  VersionText read;
  const char *end = text.data() + text.size();
  auto [point, error] = std::from_chars(text.data(), end, read.version.major);
  if (error != std::errc() || point == end || *point != '.')
    return std::nullopt;
  auto [rest, error2] = std::from_chars(point + 1, end, read.version.minor);
  if (error2 != std::errc())
    return std::nullopt;
  std::string_view build(rest, static_cast<size_t>(end - rest));
  build.remove_prefix(std::min(build.find_first_not_of(", "), build.size()));
  read.build = build.substr(0, build.find_first_of(" \r\n"));
  return read;
}

std::vector<Tool> tool_candidates(std::string_view name, const ToolkitOptions &options) {
  std::vector<Tool> list;
  auto add = [&](const std::filesystem::path &path, std::string_view found_by) {
    bool known = std::any_of(list.begin(), list.end(), [&](const Tool &tool) { return tool.path == path; });
    if (!known && is_program(path))
      list.push_back({.path = path, .found_by = std::string(found_by), .version = {}, .build = {}});
  };
  const Environment environment = read_environment();
  const bool assembler = name == "ptxas";
  if (assembler && options.ptxas)
    add(*options.ptxas, "--ptxas");
  if (assembler && environment.ptxas)
    add(*environment.ptxas, "TEGULA_PTXAS");
  std::string_view folders = environment.path ? std::string_view(*environment.path) : std::string_view();
  while (!folders.empty()) {
    size_t end = std::min(folders.find(':'), folders.size());
    // An empty entry would be the current folder, from which nothing is to be run by accident.
    if (end > 0)
      add(std::filesystem::path(folders.substr(0, end)) / name, "PATH");
    folders.remove_prefix(std::min(end + 1, folders.size()));
  }
  if (environment.cuda_home)
    add(std::filesystem::path(*environment.cuda_home) / "bin" / name, "CUDA_HOME");
  add(std::filesystem::path(kSystemToolkit) / "bin" / name, kSystemToolkit);
  return list;
}

std::optional<ToolkitVersion> toolkit_needed(std::string_view arch) {
  auto parsed = parse_arch(arch);
  for (const Need &need : kNeeds)
    if (parsed && parsed->major == need.major && parsed->minor == need.minor) {
      // The family targets came with 12.9.
      return parsed->scope == ArchScope::family ? std::max(need.toolkit, ToolkitVersion{12, 9}) : need.toolkit;
    }
  return std::nullopt;
}

Result<Tool> find_ptxas(std::string_view arch, const ToolkitOptions &options) {
  const auto needed = toolkit_needed(arch);
  std::string rejected;
  auto reject = [&](const Tool &tool, std::string_view why) {
    rejected += fmt::format("\n  - {} (by {}) {}", tool.path.string(), tool.found_by, why);
  };
  // What was named outright must at least exist, or the one that is used instead would be a surprise.
  const auto named = options.ptxas              ? std::optional(options.ptxas->string())
                     : read_environment().ptxas ? read_environment().ptxas
                                                : std::nullopt;
  if (named && !is_program(*named))
    return Error(ErrorCode::not_found,
                 fmt::format("no ptxas at {}, which {} names", *named, options.ptxas ? "the option" : "TEGULA_PTXAS"));
  for (Tool &tool : tool_candidates("ptxas", options)) {
    if (!ask_version(tool))
      reject(tool, "does not run");
    else if (needed && tool.version < *needed)
      reject(tool, fmt::format("is of CUDA {}; {} needs {}", to_string(tool.version), arch, to_string(*needed)));
    else
      return tool;
  }
  if (rejected.empty())
    return Error(ErrorCode::not_found, "no ptxas: neither TEGULA_PTXAS nor PATH, CUDA_HOME or /usr/local/cuda has one; "
                                       "the driver compiles the PTX instead");
  return Error(ErrorCode::not_found, fmt::format("no ptxas that will do; set TEGULA_PTXAS to one:{}", rejected));
}

Result<Tool> find_tool(std::string_view name, const ToolkitOptions &options) {
  for (Tool &tool : tool_candidates(name, options))
    if (ask_version(tool))
      return tool;
  return Error(ErrorCode::not_found,
               fmt::format("no {}: neither PATH nor CUDA_HOME or /usr/local/cuda has one that runs", name));
}

} // namespace tegula
