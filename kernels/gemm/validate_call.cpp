// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Refuses calls of gemm that can't be right: everything that is wrong in one message, each with value and limit.
#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "kernels/gemm/call.h"
#include "runtime/result/complaints.h"

namespace tegula {
namespace {

// TMA's coordinates and our tile indices are 32-bit; a tile may begin at the last one and reach past it.
constexpr int64_t kLargestExtent = (int64_t{1} << 31) - 257;

struct Axis {
  std::string_view name; // of the extent
  std::string_view stride_name;
  int64_t extent, stride;
};

struct View {
  std::string_view name;
  cu::CUdeviceptr address;
  DType dtype;
  std::array<Axis, 3> axes; // rows, columns, batch
};

void check_extents(const GemmArgs &args, Complaints &wrong) {
  for (auto [name, value] : {std::pair{"m", args.m}, {"n", args.n}, {"k", args.k}, {"batch", args.batch}}) {
    if (value < 0)
      wrong.add(fmt::format("{} is {}; it must be at least 0", name, value));
    else if (value > kLargestExtent)
      wrong.add(fmt::format("{} is {}; it must be at most {}", name, value, kLargestExtent));
  }
}

void check_address(const View &view, Complaints &wrong) {
  if (view.address == 0)
    return wrong.add(fmt::format("{} is null", view.name));
  if (const int64_t size = bytes(view.dtype); view.address % size != 0)
    wrong.add(
        fmt::format("{} is at {:#x}, which is no multiple of its element's {} bytes", view.name, view.address, size));
}

void check_strides(const View &view, bool any_stride, Complaints &wrong) {
  int64_t last = 0;
  bool overflow = false;
  for (const Axis &axis : view.axes) {
    if (axis.extent <= 1)
      continue;
    if (axis.stride < 0)
      wrong.add(fmt::format("{}'s {} stride is {}; it must be at least 0", view.name, axis.stride_name, axis.stride));
    int64_t reach = 0;
    overflow |=
        __builtin_mul_overflow(axis.extent - 1, axis.stride, &reach) || __builtin_add_overflow(last, reach, &last);
  }
  int64_t reach_bytes = 0;
  if (overflow || __builtin_mul_overflow(last, bytes(view.dtype), &reach_bytes))
    wrong.add(fmt::format("{}'s last element is more than 2^63 bytes away from its first", view.name));
  const Axis &rows = view.axes[0], &columns = view.axes[1];
  if (!any_stride && rows.extent > 1 && columns.extent > 1 && rows.stride != 1 && columns.stride != 1)
    wrong.add(fmt::format("{}'s row stride is {} and its column stride {}; one of them must be 1", view.name,
                          rows.stride, columns.stride));
}

// Elements of D must not share memory. Sorted by stride, each axis has to step over all that the smaller ones span.
void check_overlap(const View &view, Complaints &wrong) {
  std::array<Axis, 3> axes = view.axes;
  std::sort(axes.begin(), axes.end(), [](const Axis &a, const Axis &b) { return a.stride < b.stride; });
  int64_t span = 1;
  for (const Axis &axis : axes) {
    if (axis.extent <= 1 || axis.stride < 0)
      continue;
    if (axis.stride < span)
      return wrong.add(fmt::format("{}'s {} stride is {}, so that its elements overlap; it must be at least {}",
                                   view.name, axis.stride_name, axis.stride, span));
    int64_t reach = 0;
    if (__builtin_mul_overflow(axis.extent - 1, axis.stride, &reach) || __builtin_add_overflow(reach, span, &span))
      return; // check_strides has said so
  }
}

View view_of(std::string_view name, const GemmMatrix &matrix, DType dtype, Axis rows, Axis columns, int64_t batch) {
  rows.stride = matrix.row_stride;
  columns.stride = matrix.column_stride;
  return {name, matrix.address, dtype, {rows, columns, Axis{"batch", "batch", batch, matrix.batch_stride}}};
}

void check_memory(const GemmArgs &args, Complaints &wrong) {
  const Axis m{"m", "row", args.m, 0}, n{"n", "column", args.n, 0};
  const View d = view_of("D", args.d, args.out, m, n, args.batch);
  check_address(d, wrong);
  check_strides(d, false, wrong);
  check_overlap(d, wrong);
  if (args.k > 0) {
    const View a = view_of("A", args.a, args.in, m, {"k", "column", args.k, 0}, args.batch);
    const View b = view_of("B", args.b, args.in, {"k", "row", args.k, 0}, n, args.batch);
    for (const View &view : {a, b}) {
      check_address(view, wrong);
      check_strides(view, false, wrong);
    }
  }
  if (args.beta != 0) {
    const View c = view_of("C", args.c, args.out, m, n, args.batch);
    if (args.c.address == 0)
      wrong.add(fmt::format("C is null, but beta is {}", args.beta));
    else
      check_address(c, wrong);
    check_strides(c, true, wrong);
  }
  if (args.bias_axis != BiasAxis::none) {
    const Axis length = args.bias_axis == BiasAxis::column ? n : m;
    const View bias{"the bias",
                    args.bias.address,
                    args.out,
                    {Axis{length.name, "element", length.extent, args.bias.stride}, Axis{"", "", 1, 1},
                     Axis{"batch", "batch", args.batch, args.bias.batch_stride}}};
    check_address(bias, wrong);
    check_strides(bias, true, wrong);
  }
}

} // namespace

Result<void> validate(const GemmArgs &args) {
  Complaints wrong;
  if (args.in != DType::bf16 && args.in != DType::fp16)
    wrong.add(fmt::format("A and B are {}; they must be bf16 or fp16", name(args.in)), ErrorCode::unsupported);
  else if (args.out != args.in && args.out != DType::f32)
    wrong.add(fmt::format("D is {}; it must be {} as A and B, or f32", name(args.out), name(args.in)),
              ErrorCode::unsupported);
  check_extents(args, wrong);
  if (args.m > 0 && args.n > 0 && args.batch > 0)
    check_memory(args, wrong);
  return wrong.verdict("cannot run gemm");
}

} // namespace tegula
