// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The benchmarks behind `tegula bench`.
#pragma once

#include <string>

#include "runtime/result/result.h"
#include "tools/tegula/arguments/arguments.h"

namespace tegula {

[[nodiscard]] Result<int> bench_gemm(const Arguments &arguments);
[[nodiscard]] Result<int> bench_attention(const Arguments &arguments);
/// What the host pays: launches, loads, compiles, start of the program.
[[nodiscard]] Result<int> bench_host(const Arguments &arguments);
/// Run by bench_host in a process of its own: loads a kernel from a warm cache and prints the microseconds.
[[nodiscard]] Result<int> bench_warm_load(const Arguments &arguments);

/// Writes a file, ending in a newline.
/// \errors io_error, naming the file.
[[nodiscard]] Result<void> write_text(const std::string &path, const std::string &text);

} // namespace tegula
