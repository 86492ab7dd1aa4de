// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of attention, in the DSL.
#pragma once

#include "compiler/dsl/kernel.h"
#include "kernels/attention/problem.h"
#include "kernels/attention/schedule.h"

namespace tegula {

/// O = softmax(scale · Q · Kᵀ + mask) · V and its log-sum-exp. Globals Q [batch, heads, seq_q, head_dim],
/// K [batch, heads_kv, seq_kv, head_dim], V [batch, heads_kv, seq_kv, head_dim_v], O [batch, heads, seq_q, head_dim_v],
/// LSE [batch, heads, seq_q] in f32; any strides whose last is 1. Dims by
/// these names; scalars `scale`; with a window `left`, `right`.
/// `packed`: heads are those of K, seq_q rows hold `queries` of each head. `partial`: O and LSE have `slices` = batch ·
/// `splits`, of which each covers `span` blocks of keys.
[[nodiscard]] Result<dsl::Kernel> attention_sm90(const AttentionProblem &p, const AttentionSchedule &s);

/// The sum of the parts that attention_sm90 left of a `partial` problem. Globals part [batch, heads, seq_q, splits,
/// head_dim_v] and part_lse [batch, heads, seq_q, splits] in f32, strided views of what it wrote; O and LSE; dims batch,
/// heads, seq_q, splits, the last at most `s.parts`.
[[nodiscard]] Result<dsl::Kernel> combine_parts(const AttentionProblem &p, const CombineSchedule &s);

/// Where there are no keys: O = 0, LSE = -inf. Globals O, LSE and dims batch, heads, seq_q as above.
[[nodiscard]] Result<dsl::Kernel> attention_without_keys(const AttentionProblem &p);

} // namespace tegula
