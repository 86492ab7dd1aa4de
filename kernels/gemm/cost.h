// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An estimate of a GEMM's time in SM clocks, to rank schedules. Knows nothing of the table; its constants are measured.
#pragma once

#include "kernels/gemm/schedule_table.h"

namespace tegula {

struct GemmCost {
  int64_t tiles = 0;  ///< of all splits and products
  int64_t waves = 0;  ///< rounds of tiles that the busiest SM runs
  double compute = 0; ///< clocks if only the tensor cores limit
  double traffic = 0; ///< clocks if only the ring's filling limits
  double memory = 0;  ///< clocks if only device memory limits
  double reduce = 0;  ///< clocks of the second kernel
  double total = 0;
};

/// \param problem, shape  as the kernel sees them: swapped already where the schedule swaps.
[[nodiscard]] GemmCost estimate(const GemmProblem &problem, const GemmShape &shape, const GemmSchedule &schedule,
                                const GemmMachine &machine);

} // namespace tegula
