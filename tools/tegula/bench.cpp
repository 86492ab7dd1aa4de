// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tegula bench: finds the benchmark, and what several of them share.
#include "tools/tegula/bench.h"

#include <fstream>

#include <fmt/format.h>

#include "tools/tegula/commands.h"

namespace tegula {

Result<void> write_text(const std::string &path, const std::string &text) {
  std::ofstream file(path);
  file << text << '\n';
  file.flush();
  if (!file)
    return Error(ErrorCode::io_error, fmt::format("cannot write '{}'", path));
  return {};
}

Result<int> run_bench(const Arguments &arguments) {
  if (arguments.kernel == "host")
    return bench_host(arguments);
  if (arguments.kernel == "host-warm-load")
    return bench_warm_load(arguments);
  if (arguments.kernel == "gemm")
    return bench_gemm(arguments);
  if (arguments.kernel == "attention")
    return bench_attention(arguments);
  return Error(ErrorCode::bad_argument,
               fmt::format("there is no benchmark '{}'; there are gemm, attention and host", arguments.kernel));
}

} // namespace tegula
