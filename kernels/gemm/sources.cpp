// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names the kernels of a plan for the JIT: their words, their schedules and how they are built.
#include <fmt/format.h>

#include "kernels/gemm/gemm.h"
#include "kernels/gemm/kernels.h"

namespace tegula {
namespace {

// What of a problem the second kernel's code depends on: not how the product came about.
GemmProblem reduce_problem(const GemmProblem &problem) {
  GemmProblem reduce = problem;
  reduce.in = problem.out;
  reduce.a = reduce.b = {};
  return reduce;
}

} // namespace

KernelSource gemm_source(const GemmPlan &plan) {
  const GemmProblem problem = plan.kernel;
  const GemmSchedule schedule = plan.choice.schedule;
  return {"gemm", to_string(problem), kernel_key(schedule),
          [=]() -> Result<dsl::Kernel> { return gemm_sm90(problem, schedule); }};
}

KernelSource reduce_source(const GemmPlan &plan) {
  const GemmProblem problem = reduce_problem(plan.problem);
  const ReduceSchedule schedule = ReduceSchedule::for_rows(plan.shape.m);
  return {"reduce_split_k", to_string(problem), fmt::format("tile_m={} tile_n={}", schedule.m, schedule.n),
          [=]() -> Result<dsl::Kernel> { return reduce_split_k(problem, schedule); }};
}

KernelSource repitch_source(DType dtype) {
  const RepitchSchedule schedule;
  return {"repitch", std::string(name(dtype)), fmt::format("rows={} columns={}", schedule.rows, schedule.columns),
          [=]() -> Result<dsl::Kernel> { return repitch(dtype, schedule); }};
}

std::vector<GemmPart> gemm_parts(const GemmPlan &plan) {
  std::vector<GemmPart> parts;
  if (plan.choice.repitch_a || plan.choice.repitch_b)
    parts.push_back({"repitch", repitch_source(plan.problem.in)});
  if (plan.multiplies())
    parts.push_back({"gemm", gemm_source(plan)});
  if (plan.reduces())
    parts.push_back({"reduce_split_k", reduce_source(plan)});
  return parts;
}

} // namespace tegula
