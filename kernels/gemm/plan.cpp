// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lays out the workspace of a GEMM and settles how K is cut.
#include "kernels/gemm/plan.h"

#include <fmt/format.h>

namespace tegula {
namespace {

int64_t ceildiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
int64_t round_up(int64_t a, int64_t step) { return ceildiv(a, step) * step; }

WorkspaceMatrix place(int64_t &end, int64_t matrices, int64_t rows, int64_t columns, DType dtype) {
  WorkspaceMatrix matrix{.offset = end};
  matrix.pitch = round_up(columns, 128 / bytes(dtype)); // whole lines of L2
  matrix.slice = rows * matrix.pitch;
  matrix.bytes = matrices * matrix.slice * bytes(dtype);
  end += round_up(matrix.bytes, 256);
  return matrix;
}

void place_copies(GemmPlan &plan) {
  const GemmShape &s = plan.shape;
  const GemmProblem &p = plan.problem;
  const auto copy = [&](const GemmOperand &operand, int64_t rows, int64_t columns) {
    const auto [outer, inner] = operand.transposed ? std::pair{columns, rows} : std::pair{rows, columns};
    return place(plan.workspace_bytes, operand.batched ? s.batch : 1, outer, inner, p.in);
  };
  if (plan.choice.repitch_a)
    plan.copy_a = copy(p.a, s.m, s.k);
  if (plan.choice.repitch_b)
    plan.copy_b = copy(p.b, s.k, s.n);
}

} // namespace

GemmPlan make_plan(const GemmProblem &problem, const GemmShape &shape, const GemmMachine &machine,
                   const GemmSchedule *forced) {
  GemmPlan plan{.problem = problem, .shape = shape};
  if (plan.empty())
    return plan;
  if (shape.k == 0) {
    plan.splits = 0;
    plan.choice.why = "K is 0: only the epilogue runs";
    return plan;
  }
  plan.choice = choose_schedule(problem, shape, machine, forced);
  const int64_t all_steps = ceildiv(shape.k, plan.choice.schedule.k);
  plan.steps = ceildiv(all_steps, plan.choice.schedule.split_k);
  plan.splits = ceildiv(all_steps, plan.steps);
  if (plan.splits == 1)
    plan.choice.schedule.split_k = 1;
  plan.kernel = kernel_problem(problem, plan.choice);
  place_copies(plan);
  if (plan.splits > 1)
    plan.sums = place(plan.workspace_bytes, shape.batch * plan.splits, shape.m, shape.n, DType::f32);
  return plan;
}

std::string describe(const GemmPlan &plan) {
  if (plan.empty())
    return "nothing to do: an extent is 0";
  if (!plan.multiplies())
    return plan.choice.why;
  const GemmSchedule &s = plan.choice.schedule;
  std::string text;
  if (plan.choice.repitch_a || plan.choice.repitch_b)
    text += fmt::format("repitch {}{} + ", plan.choice.repitch_a ? "A" : "", plan.choice.repitch_b ? "B" : "");
  text += fmt::format("gemm {}x{}x{} s{} c{}{}{}", s.m, s.n, s.k, s.stages, s.cluster, s.pingpong ? " pingpong" : "",
                      s.swap ? " swapped" : "");
  if (plan.splits > 1)
    text += fmt::format(" split {} + reduce", plan.splits);
  return fmt::format("{}: {}", text, plan.choice.why);
}

} // namespace tegula
