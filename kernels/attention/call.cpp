// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Refuses calls of attention that can't be right: everything that is wrong in one message.
#include "kernels/attention/call.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "runtime/result/complaints.h"

namespace tegula {
namespace {

// TMA's coordinates and our tile indices are 32-bit; a tile may begin at the last one and reach past it.
constexpr int64_t kLargestExtent = (int64_t{1} << 31) - 257;
constexpr int64_t kAlign = 16;                     // bytes: base and strides of what TMA moves
constexpr int64_t kStrideLimit = int64_t{1} << 40; // bytes (CUDA driver API, cuTensorMapEncodeTiled)

struct Axis {
  std::string_view name;
  int64_t extent, stride;
};

void check_tensor(std::string_view name, const AttentionTensor &tensor, int64_t batch, int64_t heads, int64_t rows,
                  Complaints &wrong) {
  if (tensor.address == 0)
    wrong.add(fmt::format("{} is null", name));
  else if (tensor.address % kAlign != 0)
    wrong.add(fmt::format("{} is at {:#x}; it must be a multiple of {} bytes", name, tensor.address, kAlign));
  for (const Axis &axis : {Axis{"batch", batch, tensor.batch_stride}, Axis{"head", heads, tensor.head_stride},
                           Axis{"row", rows, tensor.row_stride}}) {
    if (axis.extent <= 1)
      continue;
    if (axis.stride < 0 || axis.stride % (kAlign / 2) != 0)
      wrong.add(fmt::format("{}'s {} stride is {}; it must be a multiple of {} and at least 0", name, axis.name,
                            axis.stride, kAlign / 2));
    else if (axis.stride >= kStrideLimit / 2)
      wrong.add(
          fmt::format("{}'s {} stride is {}; it must be below {}", name, axis.name, axis.stride, kStrideLimit / 2));
  }
}

// Elements of O must not share memory. Sorted by stride, each axis has to step over all that the smaller ones span.
void check_overlap(const AttentionArgs &args, Complaints &wrong) {
  std::array<Axis, 3> axes = {Axis{"batch", args.batch, args.o.batch_stride},
                              Axis{"head", args.heads, args.o.head_stride}, Axis{"row", args.seq_q, args.o.row_stride}};
  std::sort(axes.begin(), axes.end(), [](const Axis &a, const Axis &b) { return a.stride < b.stride; });
  int64_t span = args.head_dim_v;
  for (const Axis &axis : axes) {
    if (axis.extent <= 1)
      continue;
    if (axis.stride < span)
      return wrong.add(fmt::format("O's {} stride is {}, so that its elements overlap; it must be at least {}",
                                   axis.name, axis.stride, span));
    int64_t reach = 0;
    if (__builtin_mul_overflow(axis.extent - 1, axis.stride, &reach) || __builtin_add_overflow(reach, span, &span))
      return wrong.add(fmt::format("O's {} stride is {}: its last element is beyond 2^63", axis.name, axis.stride));
  }
}

void check_extents(const AttentionArgs &args, Complaints &wrong) {
  for (auto [field, value] : {std::pair{"batch", args.batch},
                              {"heads", args.heads},
                              {"heads_kv", args.heads_kv},
                              {"seq_q", args.seq_q},
                              {"seq_kv", args.seq_kv}})
    if (value < 0 || value > kLargestExtent)
      wrong.add(fmt::format("{} is {}; it must be from 0 to {}", field, value, kLargestExtent));
  if (args.heads > 0 && (args.heads_kv <= 0 || args.heads % args.heads_kv != 0))
    wrong.add(
        fmt::format("heads is {} and heads_kv {}; heads must be a multiple of heads_kv", args.heads, args.heads_kv));
}

} // namespace

AttentionProblem problem_of(const AttentionArgs &args) {
  return {.dtype = args.dtype,
          .head_dim = args.head_dim,
          .head_dim_v = args.head_dim_v,
          .mask = args.mask,
          .modifier = args.modifier,
          .lse = args.lse != 0};
}

Result<void> validate(const AttentionArgs &args) {
  Complaints wrong;
  check(problem_of(args), wrong);
  check_extents(args, wrong);
  if (!(args.scale >= 0) || std::isinf(args.scale))
    wrong.add(fmt::format("scale is {}; it must be finite and at least 0", args.scale));
  if (args.batch > 0 && args.heads > 0 && args.seq_q > 0) {
    check_tensor("Q", args.q, args.batch, args.heads, args.seq_q, wrong);
    check_tensor("O", args.o, args.batch, args.heads, args.seq_q, wrong);
    check_overlap(args, wrong);
    if (args.lse % 4 != 0)
      wrong.add(fmt::format("LSE is at {:#x}; it must be a multiple of 4 bytes", args.lse));
    if (args.seq_kv > 0) {
      check_tensor("K", args.k, args.batch, args.heads_kv, args.seq_kv, wrong);
      check_tensor("V", args.v, args.batch, args.heads_kv, args.seq_kv, wrong);
    }
  }
  return wrong.verdict("cannot run attention");
}

} // namespace tegula
