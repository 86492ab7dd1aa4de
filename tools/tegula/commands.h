// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One function a subcommand: does the work, prints to stdout, returns the exit status.
#pragma once

#include "runtime/result/result.h"
#include "tools/tegula/arguments/arguments.h"

namespace tegula {

[[nodiscard]] Result<int> run_list(const Arguments &arguments);
[[nodiscard]] Result<int> run_compile(const Arguments &arguments);
[[nodiscard]] Result<int> run_inspect(const Arguments &arguments);
[[nodiscard]] Result<int> run_run(const Arguments &arguments);
[[nodiscard]] Result<int> run_bench(const Arguments &arguments);
[[nodiscard]] Result<int> run_tune(const Arguments &arguments);
[[nodiscard]] Result<int> run_cache(const Arguments &arguments);
[[nodiscard]] Result<int> run_doctor(const Arguments &arguments);

/// "tegula 0.1.0".
[[nodiscard]] std::string version_text();

} // namespace tegula
