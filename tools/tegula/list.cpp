// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tegula list: kernels, their parameters, targets.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "compiler/jit/identity.h"
#include "kernels/registry/registry.h"
#include "tools/tegula/commands.h"

namespace tegula {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const KernelEntry &kernel) {
  Json parameters = Json::array();
  for (const Parameter &parameter : kernel.parameters())
    parameters.push_back({{"name", parameter.name}, {"default", parameter.initial}, {"help", parameter.help}});
  Json targets = Json::array();
  for (std::string_view target : kernel.targets)
    targets.push_back(target);
  return {{"kernel", kernel.name}, {"summary", kernel.summary}, {"targets", targets}, {"parameters", parameters}};
}

} // namespace

std::string version_text() { return fmt::format("tegula {}", compiler_version()); }

Result<int> run_list(const Arguments &arguments) {
  if (arguments.json) {
    Json kernels = Json::array();
    for (const KernelEntry &kernel : kernel_registry())
      kernels.push_back(to_json(kernel));
    fmt::print("{}\n", kernels.dump(2));
    return 0;
  }
  for (const KernelEntry &kernel : kernel_registry()) {
    fmt::print("{}  {}\n  targets: {}\n", kernel.name, kernel.summary, fmt::join(kernel.targets, ", "));
    for (const Parameter &parameter : kernel.parameters())
      fmt::print("  {:<12} {:<6} {}\n", parameter.name, parameter.initial.empty() ? "-" : parameter.initial,
                 parameter.help);
  }
  return 0;
}

} // namespace tegula
