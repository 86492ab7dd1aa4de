// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel of the design's first page, and the examples: what they are in the tile dialect.
#include "kernels/examples/examples.h"
#include "test/compiler/dsl/said.h"

using namespace tegula;
using namespace tegula::dsl;
using Catch::Matchers::Contains;

static std::string text(Result<dsl::Kernel> kernel) { return kernel.ok() ? kernel->ir() : kernel.error().message(); }

TEST_CASE("matmul: extents are named by the dims, alignment is a promise") {
  std::string ir = text(examples::matmul(bf16));
  CHECK_THAT(ir, Contains(R"(%A: !tile.global<?x?xbf16, unit = 1> dims ["M", "K"] align 16)"));
  CHECK_THAT(ir, Contains(R"(%M: index, %N: index, %K: index) target "sm_90a" cluster [1, 1, 1])"));
}

TEST_CASE("matmul: a ring of four stages, one role that fills it, one of two instances that empties it") {
  std::string ir = text(examples::matmul(bf16));
  CHECK_THAT(ir, Contains("!tile.ring<4 x [!tile.view<128x64xbf16, shared>, !tile.view<256x64xbf16, shared>]>"));
  CHECK_THAT(ir, Contains(R"(tile.role "load" (%instance) instances 1 warps 1 {)"));
  CHECK_THAT(ir, Contains(R"(tile.role "math" (%instance) instances 2 warps 4 {)"));
  CHECK(count(ir, "tile.produce") == 1);
  CHECK(count(ir, "tile.consume") == 1);
}

TEST_CASE("matmul: the accumulator is carried by the loop over K") {
  std::string ir = text(examples::matmul(bf16));
  CHECK_THAT(ir, Contains("iter_args(%arg1 = %cst) -> (tensor<64x256xf32>)"));
  CHECK_THAT(ir, Contains("(!tile.view<64x64xbf16, shared>, !tile.view<64x256xbf16, shared>, tensor<64x256xf32>) -> "
                          "tensor<64x256xf32>"));
}

TEST_CASE("matmul: an instance's rows of the output start at 64 times its index") {
  std::string ir = text(examples::matmul(bf16));
  CHECK_THAT(ir, Contains("arith.muli %instance, %c64"));
  CHECK_THAT(ir, Contains("tile.store %4, %9 : tensor<64x256xbf16> to !tile.view<64x256xbf16, global>"));
}

TEST_CASE("saxpy: a kernel without roles is one role of its warps") {
  std::string ir = text(examples::saxpy(Target::sm_90a, {.elements = 512, .warps = 2}));
  CHECK_THAT(ir, Contains(R"(tile.role "all" (%instance) instances 1 warps 2 {)"));
  CHECK_THAT(ir, Contains("arith.mulf %7, %3 fastmath<contract> : tensor<512xf32>"));
}

TEST_CASE("softmax: what lies outside reads as minus infinity, a vector meets the matrix by rows") {
  std::string ir = text(examples::softmax(Target::sm_90a, f32));
  CHECK_THAT(ir, Contains("{fill = 0xFF800000 : f32}"));
  CHECK_THAT(ir, Contains("tile.reduce %3, max dim 1 : tensor<4x1024xf32> to tensor<4xf32>"));
  CHECK_THAT(ir, Contains("tile.broadcast %4 dim 1 : tensor<4xf32> to tensor<4x1024xf32>"));
}

TEST_CASE("transpose: goes through a transposed view of shared memory") {
  std::string ir = text(examples::transpose(Target::sm_100a, fp16));
  CHECK_THAT(ir, Contains(R"(target "sm_100a")"));
  CHECK_THAT(ir, Contains("tile.copy %5 to %0 : !tile.view<64x64xf16, global> to !tile.view<64x64xf16, shared>"));
  CHECK_THAT(ir, Contains("permutation = [1, 0] : !tile.view<64x64xf16, shared> to !tile.view<64x64xf16, shared>"));
}

TEST_CASE("gated_matmul: the epilogue is the author's formula") {
  std::string ir = text(examples::gated_matmul(bf16));
  CHECK_THAT(ir, Contains("tile.broadcast %6 dim 0 : tensor<128xf32> to tensor<64x128xf32>"));
  CHECK(count(ir, "math.exp") == 1);
  CHECK(count(ir, "arith.divf") == 1);
}

TEST_CASE("building the same kernel twice gives the same text") {
  CHECK(text(examples::gated_matmul(bf16)) == text(examples::gated_matmul(bf16)));
}

TEST_CASE("a kernel's handle tells its name and target") {
  Result<dsl::Kernel> kernel = examples::matmul(fp16);
  REQUIRE(kernel.ok());
  CHECK(kernel->name() == "matmul");
  CHECK(kernel->target() == "sm_90a");
}
