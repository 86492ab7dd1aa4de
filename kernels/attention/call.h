// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call of attention as the user gives it.
#pragma once

#include "kernels/attention/problem.h"
#include "runtime/driver/memory.h"

namespace tegula {

/// A tensor [batch, heads, rows, head dim] whose last stride is 1; the others are in elements, any order of dims.
struct AttentionTensor {
  DevicePtr address = 0;
  int64_t batch_stride = 0, head_stride = 0, row_stride = 0;
};

/// Dense tensors in the two usual orders.
[[nodiscard]] inline AttentionTensor bhsd(DevicePtr address, int64_t heads, int64_t rows, int64_t head_dim) {
  return {address, heads * rows * head_dim, rows * head_dim, head_dim};
}
[[nodiscard]] inline AttentionTensor bshd(DevicePtr address, int64_t heads, int64_t rows, int64_t head_dim) {
  return {address, heads * rows * head_dim, head_dim, heads * head_dim};
}

struct AttentionArgs {
  int64_t batch = 1, heads = 1, heads_kv = 1; ///< heads is a multiple of heads_kv: so many queries share keys
  int64_t seq_q = 0, seq_kv = 0;
  int64_t head_dim = 128, head_dim_v = 128; ///< of Q and K; of V and O
  DType dtype = DType::bf16;
  AttentionTensor q = {}, k = {}, v = {}, o = {};
  DevicePtr lse = 0; ///< f32 [batch, heads, seq_q], dense: log-sum-exp of each row, natural; 0: not wanted
  float scale = 0;   ///< of scores; 0: 1 / sqrt(head_dim)
  /// Causal masks align to the end of the keys: the last query sees all of them.
  Mask mask = Mask::none;
  int64_t left = 0, right = 0; ///< of a window: keys before and after the query's own; negative: unbounded
  ScoreModifier modifier = {};
};

/// Whether there is nothing to compute.
[[nodiscard]] inline bool is_empty(const AttentionArgs &args) {
  return args.batch == 0 || args.heads == 0 || args.seq_q == 0;
}

/// What is compiled for such a call.
[[nodiscard]] AttentionProblem problem_of(const AttentionArgs &args);

/// \errors bad_argument or unsupported: everything that is wrong with the call, each with value and limit.
[[nodiscard]] Result<void> validate(const AttentionArgs &args);

} // namespace tegula
