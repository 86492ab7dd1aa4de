// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GEMM as the registry knows it, and runs of it beside the reference.
#pragma once

#include "kernels/gemm/check/gemm_case.h"
#include "kernels/gemm/gemm.h"
#include "kernels/registry/registry.h"

namespace tegula {

[[nodiscard]] KernelEntry gemm_entry();

/// The plan of a case for a machine like the default one, with the case's schedule if it names one.
[[nodiscard]] Result<GemmPlan> plan_case(const GemmCase &test, const GemmMachine &machine = {});

/// The schedule that the case forces over the table's choice; nothing if it forces none.
[[nodiscard]] Result<std::optional<GemmSchedule>> forced_schedule(const GemmCase &test, const GemmMachine &machine);

/// Runs the case twice on random operands: the first result is compared with the reference, the second must have the
/// same bits. D, its padding and the workspace are poisoned first and guarded all round. `gemm` serves the cases that
/// force no schedule.
[[nodiscard]] Result<CheckReport> check_gemm(Session &session, Gemm &gemm, const GemmCase &test);

} // namespace tegula
