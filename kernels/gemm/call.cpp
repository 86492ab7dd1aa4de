// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Brings calls to their normal form and reads off what each operand allows. validate_call.cpp refuses the rest.
#include "kernels/gemm/call.h"

#include <algorithm>
#include <utility>

namespace tegula {
namespace {

constexpr int64_t kTmaAlign = 16; // bytes: bases and strides (CUDA driver API, cuTensorMapEncodeTiled)
constexpr int64_t kTmaStrideLimit = int64_t{1} << 40; // bytes

struct Extents {
  int64_t rows, columns, batch;
};

bool tma_stride(int64_t stride, int64_t extent, DType dtype) {
  return extent <= 1 ||
         (stride > 0 && stride % (kTmaAlign / bytes(dtype)) == 0 && stride < kTmaStrideLimit / bytes(dtype));
}

// Whether rows of `inner` dense elements, `pitch` apart, can be fetched by TMA.
bool tma_fetches(cu::CUdeviceptr address, int64_t pitch, int64_t rows, int64_t batch_stride, int64_t batch,
                 DType dtype) {
  return address % kTmaAlign == 0 && tma_stride(pitch, rows, dtype) && tma_stride(batch_stride, batch, dtype);
}

// A stride that no index is ever multiplied by, but that a tensor map has to carry.
void settle_stride(int64_t &stride, int64_t extent, int64_t inner, DType dtype) {
  const int64_t step = kTmaAlign / bytes(dtype);
  if (extent <= 1)
    stride = (std::max<int64_t>(inner, 1) + step - 1) / step * step;
}

// Decides whether the operand's memory is taken as rows ("n") or columns ("t") and which way of loading it allows.
GemmOperand read_operand(GemmMatrix &matrix, const Extents &extents, DType dtype) {
  GemmOperand operand;
  operand.batched = extents.batch > 1 && matrix.batch_stride != 0;
  const bool rows_dense = matrix.column_stride == 1 || extents.columns <= 1;
  const bool columns_dense = matrix.row_stride == 1 || extents.rows <= 1;
  const auto fetches = [&](bool transposed) {
    return tma_fetches(matrix.address, transposed ? matrix.column_stride : matrix.row_stride,
                       transposed ? extents.columns : extents.rows, matrix.batch_stride,
                       operand.batched ? extents.batch : 1, dtype);
  };
  // Where an extent of 1 leaves both readings open, the one that TMA can fetch is taken.
  operand.transposed = !rows_dense || (columns_dense && matrix.column_stride != 1 && fetches(true) && !fetches(false));
  operand.tma = fetches(operand.transposed);
  if (operand.transposed) {
    matrix.row_stride = 1;
    settle_stride(matrix.column_stride, extents.columns, extents.rows, dtype);
  } else {
    matrix.column_stride = 1;
    settle_stride(matrix.row_stride, extents.rows, extents.columns, dtype);
  }
  return operand;
}

void read_epilogue(const GemmArgs &args, GemmCall &call) {
  GemmProblem &problem = call.problem;
  const GemmShape &shape = call.shape;
  problem.bias = args.bias_axis;
  if (problem.bias != BiasAxis::none) {
    const int64_t length = problem.bias == BiasAxis::column ? shape.n : shape.m;
    problem.bias_batched = shape.batch > 1 && call.bias.batch_stride != 0;
    problem.bias_strided = length > 1 && call.bias.stride != 1;
  }
  if (call.beta == 0)
    return;
  problem.c = call.c.column_stride == 1 || shape.n <= 1 ? CAccess::rows : CAccess::strided;
  problem.c_batched = shape.batch > 1 && call.c.batch_stride != 0;
}

GemmArgs transpose(GemmArgs args) {
  std::swap(args.m, args.n);
  std::swap(args.a, args.b);
  args.a = transposed(args.a);
  args.b = transposed(args.b);
  args.c = transposed(args.c);
  args.d = transposed(args.d);
  args.bias_axis = across(args.bias_axis);
  return args;
}

} // namespace

GemmCall normalize(const GemmArgs &given) {
  const bool dense_rows = given.d.column_stride == 1 || given.n <= 1;
  const GemmArgs args = dense_rows ? given : transpose(given);
  GemmCall call{.shape = {args.m, args.n, args.k, args.batch},
                .a = args.a,
                .b = args.b,
                .c = args.c,
                .d = args.d,
                .bias = args.bias,
                .alpha = args.alpha,
                .beta = args.beta};
  GemmProblem &problem = call.problem;
  problem.in = args.in;
  problem.out = args.out;
  problem.activation = args.activation;
  problem.a = read_operand(call.a, {args.m, args.k, args.batch}, args.in);
  problem.b = read_operand(call.b, {args.k, args.n, args.batch}, args.in);
  problem.d_batched = args.batch > 1;
  call.d.column_stride = 1;
  // TMA clips the ragged end of a row in steps of 16 bytes only, so the row itself must be a multiple (hopper.md 3).
  problem.d_tma = tma_fetches(call.d.address, call.d.row_stride, args.m, call.d.batch_stride, args.batch, args.out) &&
                  args.n * bytes(args.out) % kTmaAlign == 0;
  settle_stride(call.d.row_stride, args.m, args.n, args.out);
  read_epilogue(args, call);
  return call;
}

GemmCall swap_operands(const GemmCall &call) {
  GemmCall swapped = call;
  swapped.problem = swap_operands(call.problem);
  std::swap(swapped.shape.m, swapped.shape.n);
  swapped.a = transposed(call.b);
  swapped.b = transposed(call.a);
  return swapped; // C, D and the bias keep their memory: the kernel reads and writes them transposed
}

} // namespace tegula
