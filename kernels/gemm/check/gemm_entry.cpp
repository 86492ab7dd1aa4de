// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the command line needs of GEMM: parameters, parts, words.
#include "kernels/gemm/check/gemm_entry.h"

#include <array>
#include <iterator>
#include <sstream>

namespace tegula {
namespace {

constexpr std::array<std::string_view, 1> kTargets = {"sm_90a"};

// Addresses of which only the alignment counts.
GemmArgs sample_call(const GemmCase &test) {
  const auto at = [&](int64_t page, DType dtype) {
    return static_cast<cu::CUdeviceptr>((page << 40) + bytes(dtype, test.shift));
  };
  return call_of(test, {at(1, test.in), at(2, test.in), at(3, test.out), at(4, test.out), at(5, test.out)});
}

Result<GemmPlan> plan_of(const ParameterValues &values) {
  TEGULA_TRY(const GemmCase test, read_gemm_case(values));
  return plan_case(test);
}

Result<std::vector<KernelPart>> parts(const ParameterValues &values, std::string_view) {
  TEGULA_TRY(const GemmPlan plan, plan_of(values));
  std::vector<KernelPart> list;
  for (GemmPart &part : gemm_parts(plan))
    list.push_back({std::move(part.label), std::move(part.source)});
  return list;
}

Result<std::string> explain(const ParameterValues &values) {
  TEGULA_TRY(const GemmPlan plan, plan_of(values));
  return describe(plan);
}

Result<CheckReport> check(Session &session, const ParameterValues &values) {
  TEGULA_TRY(const GemmCase test, read_gemm_case(values));
  Gemm gemm(session.context, session.jit);
  return check_gemm(session, gemm, test);
}

std::vector<std::string> random_words(uint64_t seed) {
  std::istringstream text(to_string(random_gemm_case(seed)));
  return {std::istream_iterator<std::string>(text), {}};
}

} // namespace

Result<std::optional<GemmSchedule>> forced_schedule(const GemmCase &test, const GemmMachine &machine) {
  if (test.schedule.empty() || test.m == 0 || test.n == 0 || test.k == 0 || test.batch == 0)
    return std::optional<GemmSchedule>();
  const GemmCall call = normalize(sample_call(test));
  TEGULA_TRY(const GemmSchedule schedule,
             parse_schedule(test.schedule, choose_schedule(call.problem, call.shape, machine).schedule));
  return std::optional(schedule);
}

Result<GemmPlan> plan_case(const GemmCase &test, const GemmMachine &machine) {
  const GemmArgs args = sample_call(test);
  TEGULA_CHECK(validate(args));
  TEGULA_TRY(const std::optional<GemmSchedule> forced, forced_schedule(test, machine));
  const GemmCall call = normalize(args);
  GemmPlan plan = make_plan(call.problem, call.shape, machine, forced ? &*forced : nullptr);
  if (plan.multiplies())
    TEGULA_CHECK(validate(plan.kernel, plan.choice.schedule, machine.shared_limit));
  return plan;
}

KernelEntry gemm_entry() {
  return {"gemm",   "D = act(alpha · A · B + beta · C + bias), bf16 or fp16, sums in f32",
          kTargets, gemm_parameters,
          parts,    explain,
          check,    random_words};
}

} // namespace tegula
