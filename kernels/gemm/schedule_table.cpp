// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Candidates, their ranking by the cost model, and the words for the winner.
#include "kernels/gemm/schedule_table.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "kernels/gemm/cost.h"

namespace tegula {
namespace {

// Below this an operand that TMA can't fetch is loaded by the load role's threads; above, a copy with another pitch
// pays for itself (re-pitching costs 370/N of the product's time: hopper.md 4).
constexpr int64_t kRepitchBytes = 1 << 20;

struct Measured {
  int64_t m, n, k;
  std::string_view layout, schedule, figure;
};

constexpr std::array kMeasured = {
    Measured{0, 0, 0, "", "", ""}, // keeps the array from being empty
#define TEGULA_GEMM_MEASURED(m, n, k, layout, schedule, figure) Measured{m, n, k, layout, schedule, figure},
#include "kernels/gemm/measured.def"
#undef TEGULA_GEMM_MEASURED
};

// The tiles that pay, in the order in which they are preferred at equal cost.
std::vector<GemmSchedule> tile_forms() {
  std::vector<GemmSchedule> forms;
  for (int cluster : {2, 1}) {
    forms.push_back({.m = 128, .n = 256, .stages = 4, .math = 2, .cluster = cluster, .raster = 16});
    forms.push_back({.m = 256, .n = 128, .stages = 4, .math = 2, .cluster = cluster, .raster = 8});
    forms.push_back({.m = 128, .n = 192, .stages = 5, .math = 2, .cluster = cluster, .raster = 12});
    forms.push_back({.m = 128, .n = 128, .stages = 6, .math = 2, .cluster = cluster, .raster = 8});
  }
  for (int n : {256, 128, 64, 32, 16, 8}) {
    const int wide = n >= 128 ? 6 : n > 32 ? 8 : 12;
    if (n < 128)
      forms.push_back({.m = 128, .n = n, .stages = wide, .math = 2, .cluster = 1, .raster = 8});
    forms.push_back({.m = 64, .n = n, .stages = n == 256 ? 4 : wide, .math = 1, .cluster = 1, .raster = 8});
  }
  return forms;
}

// Parts of K worth trying: each at least four slots of the ring long, none empty.
std::vector<int> splits_of(const GemmShape &shape, const GemmSchedule &schedule) {
  std::vector<int> splits = {1};
  const int64_t steps = (shape.k + schedule.k - 1) / schedule.k;
  for (int parts : {2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32})
    if (steps / parts >= 4)
      splits.push_back(parts);
  return splits;
}

GemmShape swapped(const GemmShape &shape) { return {.m = shape.n, .n = shape.m, .k = shape.k, .batch = shape.batch}; }

struct Ranked {
  GemmSchedule schedule;
  GemmCost cost;
};

std::vector<Ranked> rank(const GemmProblem &problem, const GemmShape &shape, const GemmMachine &machine) {
  std::vector<Ranked> ranked;
  for (bool swap : {false, true}) {
    const GemmShape seen = swap ? swapped(shape) : shape;
    for (GemmSchedule schedule : tile_forms()) {
      schedule.swap = swap;
      for (int parts : splits_of(shape, schedule)) {
        schedule.split_k = parts;
        const GemmProblem kernel = kernel_problem(problem, {.schedule = schedule});
        while (schedule.stages > 2 && shared_bytes(kernel, schedule) + kSharedReserve > machine.shared_limit)
          --schedule.stages;
        if (validate(kernel, schedule, machine.shared_limit))
          ranked.push_back({schedule, estimate(kernel, seen, schedule, machine)});
        if (swap && !ranked.empty() && ranked.back().schedule == schedule)
          ranked.back().cost.total *= 1.01; // at equal cost D is better written by rows
      }
    }
  }
  std::sort(ranked.begin(), ranked.end(), [](const Ranked &a, const Ranked &b) { return a.cost.total < b.cost.total; });
  return ranked;
}

std::optional<GemmChoice> measured_choice(const GemmProblem &problem, const GemmShape &shape) {
  if (shape.batch != 1)
    return std::nullopt;
  for (const Measured &row : kMeasured) {
    if (row.m != shape.m || row.n != shape.n || row.k != shape.k ||
        (row.layout != "*" && row.layout != layout_name(problem)))
      continue;
    if (Result<GemmSchedule> schedule = parse_schedule(row.schedule))
      return GemmChoice{.schedule = *schedule, .why = fmt::format("measured best for these extents ({})", row.figure)};
  }
  return std::nullopt;
}

std::string explain(const Ranked &best) {
  const GemmSchedule &s = best.schedule;
  const GemmCost &cost = best.cost;
  const char *limit = cost.memory > cost.waves * std::max(cost.compute, cost.traffic) ? "device memory"
                      : cost.traffic > cost.compute                                   ? "the filling of the ring"
                                                                                      : "the tensor cores";
  std::string why = fmt::format("{} tile{} of {}x{} in {} wave{}, limited by {}", cost.tiles,
                                cost.tiles == 1 ? "" : "s", s.m, s.n, cost.waves, cost.waves == 1 ? "" : "s", limit);
  if (s.swap)
    why += "; operands swapped: columns of D take the rows of a tile, and its rows a narrow side";
  if (s.split_k > 1)
    why += fmt::format("; K in {} parts, as the tiles alone would leave SMs idle", s.split_k);
  return why;
}

void choose_paths(const GemmProblem &problem, const GemmShape &shape, GemmChoice &choice) {
  const auto repitch = [&](const GemmOperand &operand, int64_t extent, std::string_view which) {
    if (operand.tma)
      return false;
    const int64_t size = extent * shape.k * bytes(problem.in) * (operand.batched ? shape.batch : 1);
    const bool copy = size >= kRepitchBytes;
    choice.why += fmt::format("; {} has a base or pitch that is no multiple of 16 bytes (TMA's rule): {}", which,
                              copy ? "copied first to rows that are" : "loaded by threads");
    return copy;
  };
  choice.repitch_a = repitch(problem.a, shape.m, "A");
  choice.repitch_b = repitch(problem.b, shape.n, "B");
  // What threads load is not shared by a cluster, so one would only tie blocks together.
  if ((!problem.a.tma && !choice.repitch_a) || (!problem.b.tma && !choice.repitch_b))
    choice.schedule.cluster = 1;
  if (!problem.d_tma && choice.schedule.split_k == 1)
    choice.why += "; D has a base, pitch or row that is no multiple of 16 bytes: stored by threads";
}

} // namespace

GemmProblem kernel_problem(const GemmProblem &problem, const GemmChoice &choice) {
  GemmProblem kernel = problem;
  kernel.a.tma |= choice.repitch_a;
  kernel.b.tma |= choice.repitch_b;
  if (choice.schedule.swap)
    kernel = swap_operands(kernel);
  if (choice.schedule.split_k > 1) {
    kernel.partial = true;
    kernel.d_batched = false; // the slices of the workspace take the batch's place
    kernel.d_tma = true;
    kernel.out = DType::f32;
    kernel.activation = Activation::none;
    kernel.bias = BiasAxis::none;
    kernel.bias_batched = kernel.bias_strided = false;
    kernel.c = CAccess::none;
    kernel.c_batched = false;
  }
  return kernel;
}

GemmChoice choose_schedule(const GemmProblem &problem, const GemmShape &shape, const GemmMachine &machine,
                           const GemmSchedule *forced) {
  GemmChoice choice;
  if (forced) {
    choice.schedule = *forced;
    choice.why = "the schedule was given";
  } else if (std::optional<GemmChoice> measured = measured_choice(problem, shape)) {
    choice = std::move(*measured);
  } else {
    const std::vector<Ranked> ranked = rank(problem, shape, machine);
    choice.schedule = ranked.front().schedule;
    choice.why = explain(ranked.front());
  }
  choose_paths(problem, shape, choice);
  return choice;
}

std::vector<GemmSchedule> candidate_schedules(const GemmProblem &problem, const GemmShape &shape,
                                              const GemmMachine &machine) {
  std::vector<GemmSchedule> schedules;
  for (const Ranked &ranked : rank(problem, shape, machine))
    schedules.push_back(ranked.schedule);
  return schedules;
}

} // namespace tegula
