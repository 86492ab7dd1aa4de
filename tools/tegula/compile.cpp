// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tegula compile: kernels ahead of time, as files that the runtime alone can load.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "runtime/bundle/bundle.h"
#include "tools/tegula/commands.h"
#include "tools/tegula/session.h"

namespace tegula {
namespace {

std::vector<std::string> architectures(const std::string &text) {
  std::vector<std::string> list;
  for (size_t at = 0; at <= text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    list.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return list;
}

Result<void> check_target(const KernelEntry &kernel, const std::string &arch) {
  if (std::find(kernel.targets.begin(), kernel.targets.end(), arch) != kernel.targets.end())
    return {};
  return Error(ErrorCode::bad_argument, fmt::format("{} can't be compiled for '{}'; it is written for {}", kernel.name,
                                                    arch, fmt::join(kernel.targets, ", ")));
}

BundleEntry entry_of(JitKernel kernel) {
  BundleEntry entry{.manifest = std::move(kernel.manifest), .cubin = {}, .ptx = std::move(kernel.ptx)};
  const auto bytes = std::as_bytes(std::span(kernel.cubin));
  entry.cubin.assign(bytes.begin(), bytes.end());
  return entry;
}

} // namespace

Result<int> run_compile(const Arguments &arguments) {
  TEGULA_TRY(const KernelEntry *const kernel, find_kernel(arguments.kernel));
  TEGULA_TRY(const ParameterValues values, read_parameters(kernel->name, kernel->parameters(), arguments.words));
  const std::vector<std::string> archs = architectures(arguments.arch.empty() ? "sm_90a" : arguments.arch);
  for (const std::string &arch : archs)
    TEGULA_CHECK(check_target(*kernel, arch));
  Jit jit = make_jit(arguments);
  nlohmann::ordered_json written = nlohmann::ordered_json::array();
  for (const std::string &arch : archs) {
    TEGULA_TRY(const std::vector<KernelPart> parts, kernel->parts(values, arch));
    for (const KernelPart &part : parts) {
      TEGULA_TRY(JitKernel compiled, jit.compile(part.source, arch));
      const bool ptx_only = compiled.cubin.empty(), fresh = compiled.compiled;
      TEGULA_TRY(const auto files, add_to_bundle(arguments.output, entry_of(std::move(compiled))));
      if (!arguments.json)
        fmt::print("{} for {}: {}{}\n", part.label, arch, fresh ? "compiled" : "from the cache",
                   ptx_only ? "; no ptxas was found, so there is no cubin and the driver will compile the PTX" : "");
      for (const std::filesystem::path &file : files) {
        if (!arguments.json)
          fmt::print("  {}\n", file.string());
        written.push_back({{"kernel", part.label}, {"arch", arch}, {"file", file.string()}});
      }
    }
  }
  if (arguments.json)
    fmt::print("{}\n", written.dump(2));
  return 0;
}

} // namespace tegula
