// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses how a GEMM of given extents is run, and says why in words. Measured choices come first (measured.def), a
// model of the machine (cost.h) decides the rest.
#pragma once

#include <string>
#include <vector>

#include "kernels/gemm/schedule.h"

namespace tegula {

/// Extents of the product, in elements; batch = number of products.
struct GemmShape {
  int64_t m = 0, n = 0, k = 0, batch = 1;

  bool operator==(const GemmShape &) const = default;
};

/// What the choice depends on of a device. The defaults are an H200's.
struct GemmMachine {
  int sms = 132;
  int64_t shared_limit = 232448;

  bool operator==(const GemmMachine &) const = default;
};

/// A way to run a GEMM. `repitch_a`: A is first copied to rows whose pitch suits TMA (of the caller's A, not the
/// swapped).
struct GemmChoice {
  GemmSchedule schedule = {};
  bool repitch_a = false;
  bool repitch_b = false;
  std::string why = {};
};

/// \param problem  in the caller's orientation: not swapped, d_transposed and partial false; its tma flags are read.
/// \param shape    m, n, k and batch at least 1.
/// \param forced   if given, the schedule to take; only the paths of the operands are then chosen.
[[nodiscard]] GemmChoice choose_schedule(const GemmProblem &problem, const GemmShape &shape,
                                         const GemmMachine &machine = {}, const GemmSchedule *forced = nullptr);

/// The kernel that `choice` runs for `problem`: swapped, partial and aligned as chosen.
[[nodiscard]] GemmProblem kernel_problem(const GemmProblem &problem, const GemmChoice &choice);

/// Every schedule that the table considers for the shape, best first by the model: the candidates of `tegula tune`.
[[nodiscard]] std::vector<GemmSchedule> candidate_schedules(const GemmProblem &problem, const GemmShape &shape,
                                                            const GemmMachine &machine = {});

} // namespace tegula
