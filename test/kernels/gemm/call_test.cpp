// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of gemm: what is refused, in which words, and how the rest is read.
#include <catch2/catch.hpp>

#include "kernels/gemm/call.h"

using namespace tegula;

namespace {

constexpr cu::CUdeviceptr kA = 0x10000, kB = 0x20000, kC = 0x30000, kD = 0x40000;

GemmArgs good() {
  return {.m = 64, .n = 96, .k = 128, .a = row_major(kA, 128), .b = column_major(kB, 128), .d = row_major(kD, 96)};
}

std::string refusal(const GemmArgs &args) {
  const Result<void> result = validate(args);
  return result.ok() ? "" : result.error().message();
}

} // namespace

TEST_CASE("a plain call is fine and reads as nt") {
  CHECK(refusal(good()).empty());
  const GemmCall call = normalize(good());
  CHECK(layout_name(call.problem) == "nt");
  CHECK(call.problem.a.tma);
  CHECK(call.problem.d_tma);
}

TEST_CASE("shape-09 negative extents are refused by name and value") {
  GemmArgs args = good();
  args.m = -1;
  CHECK(refusal(args) == "cannot run gemm: m is -1; it must be at least 0");
}

TEST_CASE("shape-08 extents of 0 need no memory") {
  CHECK(refusal({.m = 0, .n = 5, .k = 7}).empty());
  CHECK(refusal({.m = 5, .n = 5, .k = 0, .d = row_major(kD, 5)}).empty());
}

TEST_CASE("limit-02 message-03 null operands are named") {
  GemmArgs args = good();
  args.a.address = 0;
  CHECK(refusal(args) == "cannot run gemm: A is null");
  args = good();
  args.beta = 0.5;
  CHECK(refusal(args) == "cannot run gemm: C is null, but beta is 0.5");
}

TEST_CASE("message-06 plain mistakes have messages of their own") {
  GemmArgs dtype = good(), layout = good(), bias = good();
  dtype.out = DType::fp16;
  CHECK(refusal(dtype) == "cannot run gemm: D is fp16; it must be bf16 as A and B, or f32");
  layout.a.column_stride = 2;
  CHECK(refusal(layout) == "cannot run gemm: A's row stride is 128 and its column stride 2; one of them must be 1");
  bias.bias_axis = BiasAxis::column;
  CHECK(refusal(bias) == "cannot run gemm: the bias is null");
}

TEST_CASE("misaligned pointers, negative and overlapping strides are all said at once") {
  GemmArgs args = good();
  args.a.address = kA + 1;
  args.b.column_stride = -128;
  args.d.row_stride = 90;
  CHECK(refusal(args) == "cannot run gemm, for 3 reasons:\n"
                         "  - D's row stride is 90, so that its elements overlap; it must be at least 96\n"
                         "  - A is at 0x10001, which is no multiple of its element's 2 bytes\n"
                         "  - B's column stride is -128; it must be at least 0");
}

TEST_CASE("extents past 31 bits are refused, offsets past 2^31 are not") {
  GemmArgs args = good();
  args.n = int64_t{1} << 31;
  CHECK(refusal(args).find("n is 2147483648; it must be at most 2147483391") != std::string::npos);
  args = good();
  args.d.row_stride = int64_t{1} << 32; // shape-04: a stride that 32 bits don't hold
  CHECK(refusal(args).empty());
  args.d.row_stride = int64_t{1} << 58;
  CHECK(refusal(args) == "cannot run gemm: D's last element is more than 2^63 bytes away from its first");
}

TEST_CASE("a batch whose products overlap in D is refused; interleaved products are not") {
  GemmArgs args = good();
  args.batch = 2;
  CHECK(refusal(args) == "cannot run gemm: D's batch stride is 0, so that its elements overlap; it must be at least 1");
  args.d = row_major(kD, 2 * 96, 96);
  CHECK(refusal(args).empty());
}

TEST_CASE("limit-03 a stride of 2^40 bytes takes the path without TMA, 16 bytes less does not") {
  GemmArgs args = good();
  args.m = 2;
  args.a.row_stride = int64_t{1} << 39; // elements of 2 bytes
  CHECK_FALSE(normalize(args).problem.a.tma);
  args.a.row_stride -= 8;
  CHECK(normalize(args).problem.a.tma);
}

TEST_CASE("shape-05 rows of 1001 elements go without TMA") {
  const GemmArgs args{.in = DType::fp16,
                      .out = DType::fp16,
                      .m = 128,
                      .n = 1001,
                      .k = 1001,
                      .a = row_major(kA, 1001),
                      .b = row_major(kB, 1001),
                      .d = row_major(kD, 1001)};
  const GemmProblem problem = normalize(args).problem;
  CHECK_FALSE(problem.a.tma);
  CHECK_FALSE(problem.b.tma);
  CHECK_FALSE(problem.d_tma);
}

TEST_CASE("shape-12 only pitches count for TMA, not m") {
  const GemmArgs args{.in = DType::fp16,
                      .out = DType::fp16,
                      .m = 1471,
                      .n = 256,
                      .k = 512,
                      .a = row_major(kA, 512),
                      .b = row_major(kB, 256),
                      .d = row_major(kD, 256)};
  const GemmProblem problem = normalize(args).problem;
  CHECK(problem.a.tma);
  CHECK(problem.b.tma);
  CHECK(problem.d_tma);
}

TEST_CASE("shape-14 odd pitches, odd bases and an odd m of a transposed A go without TMA") {
  GemmArgs args = good();
  args.a = row_major(kA, 129);
  CHECK_FALSE(normalize(args).problem.a.tma);
  args.a = row_major(kA + 2, 128);
  CHECK_FALSE(normalize(args).problem.a.tma);
  args.m = 63;
  args.a = column_major(kA, 63);
  CHECK_FALSE(normalize(args).problem.a.tma);
}

TEST_CASE("shape-15 broadcast strides of 0 are read as such") {
  GemmArgs args = good();
  args.beta = 1;
  args.batch = 3;
  args.d.batch_stride = 64 * 96;
  args.c = {kC, 0, 1, 0};
  CHECK(refusal(args).empty());
  GemmCall call = normalize(args);
  CHECK(call.problem.c == CAccess::rows);
  CHECK_FALSE(call.problem.c_batched);
  CHECK_FALSE(call.problem.a.batched);
  args.c = {kC, 1, 0, 0};
  CHECK(normalize(args).problem.c == CAccess::strided);
}

TEST_CASE("strides of extents of 1 are ignored") {
  GemmArgs args = good();
  args.m = 1;
  args.a.row_stride = -7;
  args.d.row_stride = 3;
  CHECK(refusal(args).empty());
  const GemmCall call = normalize(args);
  CHECK(call.problem.a.tma);
  CHECK(call.a.row_stride == 128);
}

TEST_CASE("a column-major D is computed as the transposed product") {
  GemmArgs args = good();
  args.d = column_major(kD, 64);
  args.bias_axis = BiasAxis::column;
  args.bias = {kC, 1, 0};
  const GemmCall call = normalize(args);
  CHECK(call.shape == GemmShape{.m = 96, .n = 64, .k = 128, .batch = 1});
  CHECK(layout_name(call.problem) == "nt");
  CHECK(call.problem.bias == BiasAxis::row);
  CHECK(call.a.address == kB);
  CHECK(call.d.column_stride == 1);
}

TEST_CASE("rows of D whose bytes are no multiple of 16 are not stored by TMA though their pitch is") {
  GemmArgs args = good();
  args.n = 95;
  CHECK_FALSE(normalize(args).problem.d_tma);
}
