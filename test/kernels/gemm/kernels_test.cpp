// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels in the DSL: every problem that a call can ask for builds, for every schedule that the table may choose.
#include <catch2/catch.hpp>

#include "kernels/gemm/check/gemm_case.h"
#include "kernels/gemm/gemm.h"
#include "kernels/gemm/kernels.h"

using namespace tegula;

namespace {

void expect_builds(const GemmProblem &problem, const GemmSchedule &schedule) {
  const Result<dsl::Kernel> kernel = gemm_sm90(problem, schedule);
  INFO(to_string(problem) << "; " << to_string(schedule) << (kernel.ok() ? "" : "\n" + kernel.error().message()));
  CHECK(kernel.ok());
}

} // namespace

TEST_CASE("all layouts and alignments build") {
  for (bool a : {false, true})
    for (bool b : {false, true})
      for (bool tma : {false, true})
        expect_builds({.a = {.transposed = a, .tma = tma}, .b = {.transposed = b, .tma = tma}, .d_tma = tma}, {});
}

TEST_CASE("all epilogues build, by rows and by columns") {
  for (bool transposed : {false, true})
    for (Activation activation : {Activation::none, Activation::relu, Activation::gelu, Activation::silu})
      for (BiasAxis bias : {BiasAxis::none, BiasAxis::column, BiasAxis::row})
        for (CAccess c : {CAccess::none, CAccess::rows, CAccess::strided}) {
          const GemmProblem problem{.d_transposed = transposed, .activation = activation, .bias = bias, .c = c};
          expect_builds(problem, {.m = 128, .n = 64});
          GemmProblem reduce = problem;
          reduce.d_transposed = false;
          CHECK(reduce_split_k(reduce, {}).ok());
        }
}

TEST_CASE("ping-pong, batches, parts of K and few rows build") {
  expect_builds({}, {.m = 64, .n = 256, .pingpong = 1});
  expect_builds({.a = {.batched = true}, .d_batched = true}, {});
  expect_builds({.out = DType::f32, .partial = true}, {.m = 128, .n = 128});
  expect_builds({.out = DType::f32, .a = {.batched = true}, .d_transposed = true, .partial = true},
                {.m = 128, .n = 16});
}

TEST_CASE("random cases: every part of their plans builds") {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const GemmCase test = random_gemm_case(seed);
    const GemmCall call = normalize(call_of(test, {1 << 20, 1 << 20, 1 << 20, 1 << 20, 1 << 20}));
    for (const GemmPart &part : gemm_parts(make_plan(call.problem, call.shape))) {
      const Result<dsl::Kernel> kernel = part.source.build();
      INFO(to_string(test) << ": " << part.label << (kernel.ok() ? "" : "\n" + kernel.error().message()));
      CHECK(kernel.ok());
    }
  }
}
