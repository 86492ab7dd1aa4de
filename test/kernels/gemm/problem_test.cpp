// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GEMM problems: names, identity, exchange of operands.
#include <catch2/catch.hpp>

#include "kernels/gemm/problem.h"

using namespace tegula;

TEST_CASE("layouts are named as in gemm_shapes.csv") {
  CHECK(layout_name({}) == "nt");
  CHECK(layout_name({.a = {.transposed = true}, .b = {}}) == "tn");
}

TEST_CASE("exchanging operands twice gives the problem back") {
  const GemmProblem problem{.a = {.transposed = true, .batched = true}, .bias = BiasAxis::column, .c = CAccess::rows};
  CHECK(swap_operands(swap_operands(problem)) == problem);
}

TEST_CASE("exchanged operands: a K-major B becomes a K-major A, the bias runs along rows") {
  const GemmProblem swapped = swap_operands(GemmProblem{.bias = BiasAxis::column});
  CHECK(layout_name(swapped) == "nt");
  CHECK(swapped.d_transposed);
  CHECK(swapped.bias == BiasAxis::row);
}

TEST_CASE("problems that differ in any field have different texts") {
  const GemmProblem base;
  for (GemmProblem other :
       {GemmProblem{.in = DType::fp16}, GemmProblem{.out = DType::f32}, GemmProblem{.a = {.tma = false}},
        GemmProblem{.d_batched = true}, GemmProblem{.d_transposed = true}, GemmProblem{.d_tma = false},
        GemmProblem{.activation = Activation::gelu}, GemmProblem{.bias = BiasAxis::row},
        GemmProblem{.c = CAccess::strided}, GemmProblem{.partial = true}})
    CHECK(to_string(other) != to_string(base));
}

TEST_CASE("types that there is no kernel for are refused with what would do") {
  const Result<void> result = validate(GemmProblem{.in = DType::f32, .out = DType::bf16});
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().message() == "no gemm for these types, for 2 reasons:\n"
                                    "  - the inputs are f32; they must be bf16 or fp16\n"
                                    "  - the output is bf16; it must be f32 as the inputs, or f32");
}
