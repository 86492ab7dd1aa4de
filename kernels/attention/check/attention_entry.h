// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention as the registry knows it, and runs of it beside the reference.
#pragma once

#include "kernels/attention/attention.h"
#include "kernels/attention/check/attention_case.h"
#include "kernels/registry/registry.h"

namespace tegula {

[[nodiscard]] KernelEntry attention_entry();

/// The schedule that the case forces over the table's choice; nothing if it forces none.
[[nodiscard]] Result<std::optional<AttentionSchedule>> forced_schedule(const AttentionCase &test);

/// Runs the case twice on random tensors: the first result is compared with the reference, the second must have the same
/// bits. Outputs are poisoned first and guarded all round.
[[nodiscard]] Result<CheckReport> check_attention(Session &session, const AttentionCase &test);

} // namespace tegula
