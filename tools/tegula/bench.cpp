// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tegula bench: finds the benchmark, and what several of them share.
#include "tools/tegula/bench.h"

#include <fstream>

#include <fmt/format.h>

#include "tools/tegula/commands.h"
#include "tools/tegula/console.h"
#include "tools/tegula/session.h"

namespace tegula {

namespace {

Result<void> write_text(const std::string &path, const std::string &text) {
  std::ofstream file(path);
  file << text << '\n';
  file.flush();
  if (!file)
    return Error(ErrorCode::io_error, fmt::format("cannot write '{}'", path));
  return {};
}

} // namespace

Result<int> bench_cases(const Arguments &arguments, std::string_view kernel_name,
                        const std::function<Result<MeasureCase>(Session &)> &start) {
  TEGULA_TRY(const KernelEntry *const kernel, find_kernel(kernel_name));
  TEGULA_TRY(const std::vector<ParameterValues> cases, read_cases(arguments, *kernel));
  TEGULA_TRY(const Context context, open_context(arguments));
  if (context.device().emulated)
    return Error(ErrorCode::unsupported, "the emulator reports no speed; bench needs a GPU: --device cuda:0");
  TEGULA_TRY(const Stream stream, Stream::create(context));
  Jit jit = make_jit(arguments);
  Session session{context, jit, stream};
  TEGULA_TRY(const MeasureCase measure, start(session));
  compile_ahead(jit, *kernel, cases, native_arch(context.device()));
  Progress progress("measuring", static_cast<int64_t>(cases.size()));
  nlohmann::ordered_json figures = nlohmann::ordered_json::array();
  bool failed = false;
  for (const ParameterValues &values : cases) {
    TEGULA_TRY(nlohmann::ordered_json figure, measure(values));
    failed |= figure.contains("error");
    figures.push_back(std::move(figure));
    progress.step();
  }
  if (!arguments.json_file.empty())
    TEGULA_CHECK(write_text(arguments.json_file, figures.dump(2)));
  return failed ? 1 : 0;
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
