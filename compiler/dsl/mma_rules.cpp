// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of wgmma, asked before any IR is made. Source: PTX ISA 9.0, wgmma.mma_async.
#include "compiler/dsl/mma_rules.h"

#include <fmt/format.h>

namespace tegula::dsl {
namespace {

using Faults = std::vector<std::string>;

bool is_fp8(DType dtype) { return dtype == e4m3 || dtype == e5m2; }

std::string_view wanted_sum(DType operand) {
  if (operand == fp16 || is_fp8(operand))
    return "f32 or fp16";
  return operand == s8 || operand == u8 ? "s32" : "f32";
}

bool takes_sum(DType operand, DType sum) {
  if (operand == fp16 || is_fp8(operand))
    return sum == f32 || sum == fp16;
  return sum == (operand == s8 || operand == u8 ? s32 : f32);
}

void check_dtypes(const MmaQuestion &q, Faults &faults) {
  if (q.a == f32 || q.b == f32) {
    faults.push_back(
        "no tensor core multiplies f32; declare the tiles as tf32, which keeps 10 bits of the fraction, or "
        "cast them to bf16");
    return;
  }
  bool known = q.a == fp16 || q.a == bf16 || q.a == tf32 || q.a == s8 || q.a == u8 || is_fp8(q.a);
  bool pair = q.a == q.b || (is_fp8(q.a) && is_fp8(q.b)) || (is_integer(q.a) && is_integer(q.b) && bits(q.b) == 8);
  if (!known || !pair)
    faults.push_back(fmt::format("the tensor cores do not multiply {} by {}; they take fp16, bf16, tf32 and s8 with "
                                 "themselves, and e4m3 and e5m2 in any pair; cast one of them",
                                 name(q.a), name(q.b)));
  else if (!takes_sum(q.a, q.sum))
    faults.push_back(
        fmt::format("products of {} are summed in {}, not in {}", name(q.a), wanted_sum(q.a), name(q.sum)));
}

bool check_shapes(const MmaQuestion &q, Faults &faults) {
  if (q.a_shape.rank() != 2 || q.b_shape.rank() != 2 || q.sum_shape.rank() != 2) {
    faults.push_back(fmt::format("mma takes matrices; a is {}, b is {}, the sum is {}", q.a_shape.text(),
                                 q.b_shape.text(), q.sum_shape.text()));
    return false;
  }
  size_t before = faults.size();
  if (q.a_shape[1] != q.b_shape[0])
    faults.push_back(fmt::format("a is {}, b is {}: k is {} in a and {} in b; they must be equal{}", q.a_shape.text(),
                                 q.b_shape.text(), q.a_shape[1], q.b_shape[0],
                                 q.a_shape[1] == q.b_shape[1] ? " (b.T() gives them)" : ""));
  if (q.sum_shape[0] != q.a_shape[0] || q.sum_shape[1] != q.b_shape[1])
    faults.push_back(fmt::format("a is {}, b is {}: their product is {}x{}, but the sum is {}", q.a_shape.text(),
                                 q.b_shape.text(), q.a_shape[0], q.b_shape[1], q.sum_shape.text()));
  return faults.size() == before;
}

void check_sizes(const MmaQuestion &q, Faults &faults) {
  int64_t m = q.sum_shape[0], n = q.sum_shape[1], k = q.a_shape[1];
  if (q.warps % 4) {
    faults.push_back(fmt::format("mma is issued by whole warpgroups, 4 warps each; the role has {} warp{} an instance; "
                                 "give it warpgroups(1)",
                                 q.warps, q.warps == 1 ? "" : "s"));
  } else if (int64_t rows = 64 * (q.warps / 4); m % rows) {
    faults.push_back(fmt::format("m is {}; for {} warpgroup{} an instance it must be a multiple of {}", m, q.warps / 4,
                                 q.warps == 4 ? "" : "s", rows));
  }
  bool integer = is_integer(q.a);
  if (n % 8 || n > 256 || n < 8)
    faults.push_back(fmt::format("n is {}; it must be a multiple of 8 in 8..256", n));
  else if (integer && n > 32 && n % 16)
    faults.push_back(fmt::format("n is {}; above 32 it must be a multiple of 16 for 8-bit integers", n));
  int64_t step = 256 / bits(q.a);
  if (k % step)
    faults.push_back(fmt::format("k is {}; for {} it must be a multiple of {} (32 bytes)", k, name(q.a), step));
}

void check_majors(const MmaQuestion &q, Faults &faults) {
  if (bits(q.a) == 16)
    return;
  if (!q.b_transposed)
    faults.push_back(
        fmt::format("b of {} must be contiguous along k; keep the tile as {{n, k}} and give b.T()", name(q.b)));
  if (q.a_transposed && !q.a_in_registers)
    faults.push_back(fmt::format("a of {} must be contiguous along k; keep the tile as {{m, k}}", name(q.a)));
}

} // namespace

std::vector<std::string> mma_faults(const MmaQuestion &question) {
  Faults faults;
  if (question.target == Target::sm_100a) {
    faults.push_back("sm_100a has no wgmma, and its tcgen05 is not offered here yet; build for sm_90a");
    return faults;
  }
  check_dtypes(question, faults);
  bool agree = check_shapes(question, faults);
  if (!faults.empty())
    return faults;
  if (agree)
    check_sizes(question, faults);
  check_majors(question, faults);
  return faults;
}

} // namespace tegula::dsl
