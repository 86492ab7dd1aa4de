// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One attention problem as the command line and the tests name it, and where its tensors lie.
#pragma once

#include <string>

#include "kernels/attention/call.h"
#include "kernels/check/guarded_image.h"
#include "kernels/registry/parameters.h"

namespace tegula {

/// The columns of bench/attention_shapes.csv, and more in their manner.
struct AttentionCase {
  DType dtype = DType::bf16;
  int64_t batch = 1, heads_q = 16, heads_kv = 16, seq_q = 4096, seq_kv = 4096, head_dim = 128;
  int64_t head_dim_v = 0; ///< 0: head_dim
  bool causal = false, windowed = false;
  int64_t window_left = -1, window_right = -1; ///< -1: unbounded
  bool heads_inside = false;                   ///< layout bshd, else bhsd
  std::string modifier = {};
  double scale = 0;
  bool lse = true;
  uint64_t seed = 1;
  std::string schedule = {};

  [[nodiscard]] int64_t value_dim() const { return head_dim_v == 0 ? head_dim : head_dim_v; }
  bool operator==(const AttentionCase &) const = default;
};

/// The parameters of `attention` on the command line, with their defaults and meanings.
[[nodiscard]] const std::vector<Parameter> &attention_parameters();

/// Reads parameters that were checked against attention_parameters().
/// \errors bad_argument: each value that can't be, with what it can be.
[[nodiscard]] Result<AttentionCase> read_attention_case(const ParameterValues &values);

/// Every parameter that isn't at its default; the command line that repeats the case.
[[nodiscard]] std::string to_string(const AttentionCase &test);

/// A tensor of so many heads, rows and columns, as the case's layout stores it: [batch · heads, rows, columns], or
/// [batch, rows, heads · columns].
[[nodiscard]] StridedShape shape_of(const AttentionCase &test, int64_t heads, int64_t rows, int64_t columns);

struct AttentionAddresses {
  DevicePtr q = 0, k = 0, v = 0, o = 0, lse = 0;
};
[[nodiscard]] AttentionArgs call_of(const AttentionCase &test, const AttentionAddresses &at);

/// A random case: odd lengths, all kinds of masks, any ratio of heads; the same for the same seed.
[[nodiscard]] AttentionCase random_attention_case(uint64_t seed);

/// What a score modifier of that name does to a score, for the reference; and the modifier itself.
[[nodiscard]] double modified(std::string_view modifier, double score, int64_t head, int64_t q, int64_t k);
[[nodiscard]] ScoreModifier modifier_of(std::string_view name);

} // namespace tegula
