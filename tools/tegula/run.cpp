// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tegula run: kernels on a device beside a reference on the CPU; one case, a file of shapes or a random sweep.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "runtime/driver/devices.h"
#include "tools/tegula/commands.h"
#include "tools/tegula/console.h"
#include "tools/tegula/session.h"

namespace tegula {
namespace {

using Json = nlohmann::ordered_json;

Result<std::vector<ParameterValues>> all_cases(const Arguments &arguments, const KernelEntry &kernel) {
  if (arguments.sweep == 0)
    return read_cases(arguments, kernel);
  if (!kernel.random)
    return Error(ErrorCode::bad_argument, fmt::format("{} has no random cases to sweep over", kernel.name));
  std::vector<ParameterValues> cases;
  for (int64_t i = 0; i < arguments.sweep; ++i) {
    std::vector<std::string> words = kernel.random(static_cast<uint64_t>(arguments.seed * 1000003 + i));
    TEGULA_TRY(ParameterValues values, read_parameters(kernel.name, kernel.parameters(), words));
    cases.push_back(std::move(values));
  }
  return cases;
}

void print_report(const Arguments &arguments, const KernelEntry &kernel, const CheckReport &report, bool emulated) {
  if (arguments.json) {
    const Json line{{"kernel", kernel.name}, {"input", report.input}, {"passed", report.passed()},
                    {"fault", report.fault}, {"path", report.path},   {"checked", report.checked},
                    {"worst", report.worst}, {"emulated", emulated}};
    fmt::print("{}\n", line.dump());
    return;
  }
  fmt::print("{} {} {}: ", verdict_word(report.passed()), kernel.name, report.input);
  if (report.passed())
    fmt::print("{} elements compared, largest error {:.0f} % of what is allowed{}\n   {}\n", report.checked,
               100 * report.worst, emulated ? " [emulated]" : "", report.path);
  else
    fmt::print("{}\n   {}\n   repeat with: tegula run {} {} --check\n", report.fault, report.path, kernel.name,
               report.input);
}

} // namespace

Result<int> run_run(const Arguments &arguments) {
  TEGULA_TRY(const KernelEntry *const kernel, find_kernel(arguments.kernel));
  TEGULA_TRY(const std::vector<ParameterValues> cases, all_cases(arguments, *kernel));
  for (const ParameterValues &values : cases) { // what can't be is said before a device is opened
    TEGULA_TRY([[maybe_unused]] const std::string why, kernel->explain(values));
  }
  TEGULA_TRY(const Context context, open_context(arguments));
  TEGULA_TRY(const Stream stream, Stream::create(context));
  Jit jit = make_jit(arguments);
  if (cases.size() > 1)
    compile_ahead(jit, *kernel, cases, native_arch(context.device()));
  Session session{context, jit, stream};
  Progress progress("checking", static_cast<int64_t>(cases.size()));
  int64_t failed = 0;
  for (const ParameterValues &values : cases) {
    Result<CheckReport> result = kernel->check(session, values);
    CheckReport report = result ? std::move(*result)
                                : CheckReport{.input = to_string(values, kernel->parameters()),
                                              .path = "",
                                              .fault = result.error().message()};
    if (report.input.empty())
      report.input = to_string(values, kernel->parameters());
    failed += !report.passed();
    print_report(arguments, *kernel, report, context.device().emulated);
    progress.step();
  }
  if (cases.size() > 1 && !arguments.json)
    fmt::print("{} of {} cases passed on {}{}\n", static_cast<int64_t>(cases.size()) - failed, cases.size(),
               to_string(context.device()), context.device().emulated ? " [emulated]" : "");
  return failed == 0 ? 0 : 1;
}

} // namespace tegula
