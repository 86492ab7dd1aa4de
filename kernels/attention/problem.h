// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is compiled into an attention kernel. Extents, strides, group sizes, windows and lengths are arguments: they never
// cause a compile.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "compiler/dsl/values.h"
#include "runtime/result/complaints.h"
#include "runtime/result/result.h"
#include "runtime/types/dtype.h"

namespace tegula {

/// Which keys a query sees, q and k counted so that the last query meets the last key.
enum class Mask : uint8_t {
  none,
  causal, ///< k <= q + seq_kv - seq_q
  window, ///< q + seq_kv - seq_q - left <= k <= q + seq_kv - seq_q + right
};

[[nodiscard]] std::string_view name(Mask mask);

/// What a score modifier is given: f32 scores [rows, columns], already scaled, and where they stand.
struct ScoreTile {
  dsl::Tile scores;
  dsl::Index batch, head; ///< of the queries
  dsl::Tile q, k;         ///< s32 [rows, columns]: each element's query and key, counted from 0
};
/// Gives the scores that softmax takes; -inf hides a key. Built into the kernel: `name` is its part of the cache key.
struct ScoreModifier {
  std::string name; ///< "": none
  std::function<dsl::Tile(const ScoreTile &)> apply;
};

struct AttentionProblem {
  DType dtype = DType::bf16; ///< of Q, K, V and O; bf16 or fp16
  int64_t head_dim = 128;    ///< of Q and K, a multiple of 8
  int64_t head_dim_v = 128;  ///< of V and O, a multiple of 8
  Mask mask = Mask::none;
  ScoreModifier modifier = {};
  bool lse = true; ///< also writes the log-sum-exp of each row
  /// The few queries of all heads that share keys are the rows of one tile, head by head: for decoding.
  bool packed = false;
  bool partial = false; ///< works at a part of the keys: writes O in f32 and the LSE of its part (combine_parts)
};

[[nodiscard]] std::string to_string(const AttentionProblem &problem);

/// Adds what is wrong with a problem to `wrong`.
void check(const AttentionProblem &problem, Complaints &wrong);
/// \errors unsupported, naming each field at fault, its value and what is possible.
[[nodiscard]] Result<void> validate(const AttentionProblem &problem);

} // namespace tegula
