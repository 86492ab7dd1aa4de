// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The benchmarks behind `tegula bench`.
#pragma once

#include <functional>
#include <string_view>

#include <nlohmann/json.hpp>

#include "kernels/registry/registry.h"
#include "runtime/result/result.h"
#include "tools/tegula/arguments/arguments.h"

namespace tegula {

[[nodiscard]] Result<int> bench_gemm(const Arguments &arguments);
[[nodiscard]] Result<int> bench_attention(const Arguments &arguments);
/// What the host pays: launches, loads, compiles, start of the program.
[[nodiscard]] Result<int> bench_host(const Arguments &arguments);
/// Run by bench_host in a process of its own: loads a kernel from a warm cache and prints the microseconds.
[[nodiscard]] Result<int> bench_warm_load(const Arguments &arguments);

/// Measures one case, prints its line and gives its object for --json; one with an "error" has failed.
using MeasureCase = std::function<Result<nlohmann::ordered_json>(const ParameterValues &)>;
/// Measures each case that the command line asks for, on a GPU: compiles ahead, shows progress, writes --json. `start` makes
/// what measures once there is a device; what it holds goes before the device does.
[[nodiscard]] Result<int> bench_cases(const Arguments &arguments, std::string_view kernel,
                                      const std::function<Result<MeasureCase>(Session &)> &start);

} // namespace tegula
