// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares attention's output with a float64 reference on the CPU: all rows of a small problem, a sample of a large one's.
#pragma once

#include <string>

#include "kernels/attention/check/attention_case.h"

namespace tegula {

struct AttentionImages {
  GuardedImage q, k, v, o, lse;
};
/// Random normal inputs; outputs poisoned; all guarded.
[[nodiscard]] AttentionImages make_images(const AttentionCase &test);

struct AttentionVerdict {
  int64_t checked = 0; ///< elements compared
  double worst = 0;    ///< the largest error, as a share of what is allowed
  std::string fault;   ///< "" if all is right, else the first wrong element with both values, or the damaged guard
};

/// An element of O may be off by twice the largest error, over the rows that are compared, of a plain computation: scores
/// and sums in f32, weights and O rounded to the dtype; an LSE by 1e-3.
[[nodiscard]] AttentionVerdict verify_attention(const AttentionCase &test, const AttentionImages &images);

} // namespace tegula
