// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names and limits of attention problems.
#include "kernels/attention/problem.h"

#include <fmt/format.h>

namespace tegula {

std::string_view name(Mask mask) {
  switch (mask) {
  case Mask::none: return "none";
  case Mask::causal: return "causal";
  case Mask::window: return "window";
  }
  return "?";
}

std::string to_string(const AttentionProblem &problem) {
  std::string text = fmt::format("{} head_dim={}", name(problem.dtype), problem.head_dim);
  if (problem.head_dim_v != problem.head_dim)
    text += fmt::format(" head_dim_v={}", problem.head_dim_v);
  if (problem.mask != Mask::none)
    text += fmt::format(" mask={}", name(problem.mask));
  if (!problem.modifier.name.empty())
    text += fmt::format(" modifier={}", problem.modifier.name);
  for (const auto &[set, word] :
       {std::pair{problem.lse, " lse"}, {problem.packed, " packed"}, {problem.partial, " partial"}})
    text += set ? word : "";
  return text;
}

void check(const AttentionProblem &problem, Complaints &wrong) {
  if (problem.dtype != DType::bf16 && problem.dtype != DType::fp16)
    wrong.add(fmt::format("Q, K and V are {}; they must be bf16 or fp16", name(problem.dtype)), ErrorCode::unsupported);
  for (auto [field, value] : {std::pair{"head_dim", problem.head_dim}, {"head_dim_v", problem.head_dim_v}})
    if (value < 8 || value > 256 || value % 8 != 0)
      wrong.add(fmt::format("{} is {}; it must be a multiple of 8 from 8 to 256", field, value),
                ErrorCode::unsupported);
}

Result<void> validate(const AttentionProblem &problem) {
  Complaints wrong;
  check(problem, wrong);
  return wrong.verdict("cannot run attention");
}

} // namespace tegula
