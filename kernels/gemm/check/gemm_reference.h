// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares a GEMM's output with a float64 reference on the CPU: all elements of a small one; of a large one a sample
// that holds the edges, and every row against a random combination of columns, so that no wrong tile can hide.
#pragma once

#include <string>

#include "kernels/gemm/check/gemm_case.h"

namespace tegula {

struct GemmImages {
  GuardedImage a, b, c, d, bias;
};

/// Random operands from the case's seed and a poisoned D.
[[nodiscard]] GemmImages make_images(const GemmCase &test);

struct GemmVerdict {
  int64_t checked = 0; ///< elements compared one by one
  double worst = 0;    ///< the largest error, as a share of what is allowed
  std::string fault;   ///< "" if all is right, else the first wrong element with both values, or the damaged guard
  [[nodiscard]] bool passed() const { return fault.empty(); }
};

/// \param images  d holds what the device wrote.
///
/// An element may be off by the rounding of the output, u·|ref| (u = 2^-8 for bf16, 2^-11 for fp16, 2^-24 for
/// f32), and by that of the f32 sum. The tensor core adds 16 products at a time and cuts the sum off at about 2^-22 of
/// its running value, which for random operands stays near s = sqrt(sum of (a·b)²); so (8 + k/16) · 2^-21 · s is
/// allowed. The activations add 2^-20 of their argument and 2^-20.
[[nodiscard]] GemmVerdict verify_gemm(const GemmCase &test, const GemmImages &images);

} // namespace tegula
