// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the assembler says of shipped kernels: no spill, no serialized wgmma, budgets taken up.
#include <set>

#include "compiler/pipeline/compile.h"
#include "kernels/attention/kernels.h"
#include "kernels/gemm/kernels.h"
#include "kernels/gemm/schedule_table.h"
#include "runtime/toolkit/toolkit.h"
#include "test/kernels/cases/on_emulator.h"

using namespace tegula;
using tegula::test::need;

namespace {

bool has_assembler() {
  const bool found = find_ptxas("sm_90a").ok();
  if (!found)
    WARN("skipped: no ptxas for sm_90a on this machine");
  return found;
}

void check_clean(const dsl::Kernel &kernel) {
  const std::string report = need(print_stage(kernel, Stage::resources, {}));
  INFO(report);
  CHECK(report.find("fault") == std::string::npos);
  CHECK(report.find("serialized wgmma   no") != std::string::npos);
}

// What the table chooses over extents small and large, for each way that operands can lie.
std::set<std::string> chosen(const GemmProblem &problem, std::vector<GemmSchedule> &schedules) {
  std::set<std::string> keys;
  for (int64_t m : {1, 64, 512, 4096, 16384})
    for (int64_t n : {64, 2048, 8192, 28672})
      for (int64_t k : {512, 4096, 16384}) {
        const GemmSchedule schedule = choose_schedule(problem, {.m = m, .n = n, .k = k, .batch = 1}, {}).schedule;
        if (keys.insert(kernel_key(schedule)).second)
          schedules.push_back(schedule);
      }
  return keys;
}

} // namespace

TEST_CASE("shipped GEMM schedules neither spill nor serialize") {
  if (!has_assembler())
    return;
  GemmProblem problem;
  problem.activation = GENERATE(Activation::none, Activation::gelu);
  problem.bias = problem.activation == Activation::none ? BiasAxis::none : BiasAxis::column;
  std::vector<GemmSchedule> schedules;
  chosen(problem, schedules);
  CHECK(schedules.size() > 3);
  for (const GemmSchedule &schedule : schedules) {
    GemmProblem kernel = schedule.swap ? swap_operands(problem) : problem;
    INFO(to_string(kernel) << ": " << to_string(schedule));
    check_clean(need(gemm_sm90(kernel, schedule)));
  }
}

TEST_CASE("compile-05: the resources of a fixed attention schedule") {
  if (!has_assembler())
    return;
  const AttentionProblem problem{.head_dim = 64, .head_dim_v = 64};
  const AttentionSchedule schedule{.n = 128, .math = 2, .stages = 2};
  const std::string report = need(print_stage(need(attention_sm90(problem, schedule)), Stage::resources, {}));
  INFO(report);
  // Q 128x64, K and V 2 stages of 128x64 each, staging of O 2 x 64x64, all bf16, and 1 KiB of barriers: a change of these
  // is to be looked at, then pinned anew.
  CHECK(report.find("shared memory      " + std::to_string((128 * 64 + 4 * 128 * 64 + 2 * 64 * 64) * 2 + 1024) +
                    " bytes dynamic") != std::string::npos);
  CHECK(report.find("registers          168 a thread at entry") != std::string::npos);
  CHECK(report.find("spills             0 bytes stored, 0 loaded") != std::string::npos);
}

TEST_CASE("compile-06: bounds are always emitted, and the assembler takes up the roles' budgets") {
  GemmSchedule schedule;
  schedule.load_registers = 24;
  schedule.math_registers = 240;
  const dsl::Kernel kernel = need(gemm_sm90({}, schedule));
  const std::string ptx = need(compile_kernel(kernel, {.assemble = false})).ptx;
  CHECK(ptx.find(".reqntid 384") != std::string::npos);
  CHECK(ptx.find("setmaxnreg.dec.sync.aligned.u32 \t24") != std::string::npos);
  CHECK(ptx.find("setmaxnreg.inc.sync.aligned.u32 \t240") != std::string::npos);
  if (!has_assembler())
    return;
  const std::string report = need(print_stage(kernel, Stage::resources, {}));
  INFO(report);
  CHECK(report.find("setmaxnreg") == std::string::npos); // "ignored" is what ptxas says where it drops them
  CHECK(report.find("registers          168 a thread at entry") != std::string::npos);
}
