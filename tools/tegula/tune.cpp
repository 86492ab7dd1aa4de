// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tegula tune: times schedules of GEMMs side by side, in shuffled rounds, since the card's clock wanders. A schedule
// that can't be built or fails is listed with its reason; the others go on.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "kernels/gemm/check/gemm_entry.h"
#include "tools/tegula/commands.h"
#include "tools/tegula/console.h"
#include "tools/tegula/session.h"
#include "tools/tegula/timing.h"

namespace tegula {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kCandidates = 8; // of the table, where no file names schedules

struct Candidate {
  GemmSchedule schedule;
  std::vector<double> us;
  std::string error;
};

Result<std::vector<GemmSchedule>> read_schedules(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    return Error(ErrorCode::io_error, fmt::format("cannot read the schedules in '{}': {}", path, std::strerror(errno)));
  std::vector<GemmSchedule> schedules;
  for (std::string line; std::getline(file, line);) {
    line.resize(std::min(line.find('#'), line.size()));
    if (line.find_first_not_of(" \t") == std::string::npos)
      continue;
    TEGULA_TRY(const GemmSchedule schedule, parse_schedule(line));
    schedules.push_back(schedule);
  }
  return schedules;
}

GemmPlan plan_with(const GemmCase &test, const GemmSchedule &schedule) {
  const GemmCall call = normalize(call_of(test, {1 << 20, 1 << 20, 1 << 20, 1 << 20, 1 << 20}));
  return make_plan(call.problem, call.shape, {}, &schedule);
}

std::vector<GemmSchedule> schedules_for(const GemmCase &test, const std::vector<GemmSchedule> &given) {
  if (!given.empty())
    return given;
  const GemmCall call = normalize(call_of(test, {1 << 20, 1 << 20, 1 << 20, 1 << 20, 1 << 20}));
  std::vector<GemmSchedule> schedules = candidate_schedules(call.problem, call.shape);
  schedules.resize(std::min(schedules.size(), kCandidates));
  return schedules;
}

void compile_all(Jit &jit, const std::vector<GemmCase> &tests, const std::vector<GemmSchedule> &given,
                 std::string_view arch) {
  std::vector<KernelSource> sources;
  for (const GemmCase &test : tests)
    for (const GemmSchedule &schedule : schedules_for(test, given)) {
      const GemmPlan plan = plan_with(test, schedule);
      if (validate(plan.kernel, plan.choice.schedule))
        for (GemmPart &part : gemm_parts(plan))
          sources.push_back(std::move(part.source));
    }
  compile_ahead(jit, sources, arch);
}

/// The median of a few calls; of the emulator, which has no speed to report, one call that shows that it runs.
Result<double> try_candidate(Session &session, const TimedCall &call, int64_t sets, double flops) {
  if (!session.context.device().emulated)
    return time_us(session, call, sets, flops, 6);
  TEGULA_CHECK(call(0));
  TEGULA_CHECK(session.stream.synchronize());
  return 0.0;
}

Result<std::vector<Candidate>> time_candidates(Session &session, const GemmCase &test,
                                               const std::vector<GemmSchedule> &schedules, int64_t rounds) {
  TEGULA_TRY(const GemmOperands operands, GemmOperands::make(session, test));
  std::vector<Candidate> candidates;
  std::vector<Gemm> gemms;
  for (const GemmSchedule &schedule : schedules) {
    candidates.push_back({schedule, {}, {}});
    gemms.emplace_back(session.context, session.jit, GemmOptions{.schedule = schedule});
  }
  std::vector<size_t> order(candidates.size());
  std::iota(order.begin(), order.end(), size_t{0});
  Random random(test.seed);
  for (int64_t round = 0; round < rounds; ++round) {
    for (size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[static_cast<size_t>(random.between(0, static_cast<int64_t>(i) - 1))]);
    for (size_t i : order) {
      if (!candidates[i].error.empty())
        continue;
      const auto call = [&](int64_t set) { return gemms[i].run(operands.call(set), session.stream); };
      const Result<double> us = try_candidate(session, call, operands.sets(), flops_of(test));
      if (us)
        candidates[i].us.push_back(*us);
      else
        candidates[i].error = us.error().message();
    }
  }
  std::sort(candidates.begin(), candidates.end(), [](const Candidate &a, const Candidate &b) {
    return std::pair(!a.error.empty(), median(a.us)) < std::pair(!b.error.empty(), median(b.us));
  });
  return candidates;
}

Json report(const GemmCase &test, const std::vector<Candidate> &candidates, bool emulated) {
  Json json{{"input", to_string(test)}, {"schedules", Json::array()}};
  fmt::print("{}\n", to_string(test));
  for (const Candidate &candidate : candidates) {
    const double us = median(candidate.us);
    json["schedules"].push_back(
        {{"schedule", to_string(candidate.schedule)}, {"us", candidate.us}, {"error", candidate.error}});
    if (candidate.error.empty() && emulated)
      fmt::print("  runs: {} [emulated, not timed]\n", to_string(candidate.schedule));
    else if (candidate.error.empty())
      fmt::print("  {:9.1f} us {:6.0f} TFLOP/s  {}\n", us, flops_of(test) / us / 1e6, to_string(candidate.schedule));
    else
      fmt::print("  left out: {}: {}\n", to_string(candidate.schedule), candidate.error);
  }
  return json;
}

} // namespace

Result<int> run_tune(const Arguments &arguments) {
  TEGULA_TRY(const KernelEntry *const kernel, find_kernel(arguments.kernel));
  if (kernel->name != "gemm")
    return Error(ErrorCode::bad_argument, fmt::format("{} has no schedules to tune; gemm has", kernel->name));
  TEGULA_TRY(const std::vector<ParameterValues> cases, read_cases(arguments, *kernel));
  std::vector<GemmSchedule> given;
  if (!arguments.schedules.empty()) {
    TEGULA_TRY(given, read_schedules(arguments.schedules));
  }
  std::vector<GemmCase> tests;
  for (const ParameterValues &values : cases) {
    TEGULA_TRY(GemmCase test, read_gemm_case(values));
    tests.push_back(std::move(test));
  }
  TEGULA_TRY(const Context context, open_context(arguments));
  TEGULA_TRY(const Stream stream, Stream::create(context));
  Jit jit = make_jit(arguments);
  Session session{context, jit, stream};
  compile_all(jit, tests, given, native_arch(context.device()));
  Json all = Json::array();
  bool none_good = false;
  for (const GemmCase &test : tests) {
    TEGULA_TRY(const std::vector<Candidate> candidates,
               time_candidates(session, test, schedules_for(test, given), std::max<int64_t>(1, arguments.repetitions)));
    none_good |= std::none_of(candidates.begin(), candidates.end(), [](const Candidate &c) { return c.error.empty(); });
    all.push_back(report(test, candidates, context.device().emulated));
  }
  if (!arguments.json_file.empty())
    std::ofstream(arguments.json_file) << all.dump(2) << '\n';
  return none_good ? 1 : 0;
}

} // namespace tegula
