// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loop that speed hangs on: a 64x256 accumulator carried over wgmmas must stay in its registers.
#include <catch2/catch.hpp>

#include "compiler/ptx/assemble.h"
#include "test/compiler/ptx/steps.h"

using namespace tegula;

static const char *const kLoop = R"(
nv.kernel @loop(%out: !llvm.ptr<1>, %steps: i32) threads 128 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %s = nv.shared_base
  %a = nv.descriptor %s bits = 0x4000004000010000
  %start = ub.poison : vector<128xf32>
  %sum = scf.for %k = %zero to %steps step %one iter_args(%acc = %start) -> (vector<128xf32>) : i32 {
    %more = arith.cmpi ne, %k, %zero : i32
    nv.wgmma.fence
    %d0 = nv.wgmma bf16 %a, %a, %acc scale_d %more : !nv.descriptor, vector<128xf32>
    %a1 = nv.descriptor.advance %a, bytes = 32
    %d1 = nv.wgmma bf16 %a1, %a1, %d0 : !nv.descriptor, vector<128xf32>
    nv.wgmma.commit
    %w = nv.wgmma.wait pending = 1 (%d1) : vector<128xf32>
    scf.yield %w : vector<128xf32>
  }
  %done = nv.wgmma.wait pending = 0 (%sum) : vector<128xf32>
  %total = vector.reduction <add>, %done : vector<128xf32> into f32
  %v = vector.broadcast %total : f32 to vector<1xf32>
  nv.st.global %out, %v : vector<1xf32>
  nv.return
})";

/// The text between a wgmma.fence and the branch back.
static std::string loop_of(const std::string &ptx) {
  size_t begin = ptx.find("wgmma.fence"), end = ptx.find("\tbra", begin);
  return ptx.substr(begin, end - begin);
}

TEST_CASE("the loop moves no accumulator and uses no memory") {
  Emitted emitted = ptx_of(kLoop, {.debug = DebugInfo::none});
  REQUIRE(emitted.text.ok());
  std::string loop = loop_of(*emitted.text);
  INFO(loop.substr(0, 2000));
  CHECK(count(loop, "wgmma.mma_async") == 2);
  CHECK(count(loop, "mov.b32") == 0);
  CHECK(count(loop, "mov.f32") == 0);
  CHECK(count(*emitted.text, "__local_depot") == 0);
  CHECK(count(*emitted.text, "mov.b32 \t%r") < 32); // no zeros for the accumulator
}

TEST_CASE("ptxas finds nothing to serialise and spills nothing") {
  if (!find_ptxas("sm_90a").ok()) {
    WARN("skipped: no ptxas for sm_90a on this machine");
    return;
  }
  Emitted emitted = ptx_of(kLoop);
  REQUIRE(emitted.text.ok());
  Result<Assembled> result = assemble(*emitted.text);
  REQUIRE(result.ok());
  CHECK(faults_of(result->resources("loop")).empty());
  CHECK(result->resources("loop").registers <= 168);
}

TEST_CASE("compile-04: a missing fence and too small a register budget are both told") {
  if (!find_ptxas("sm_90a").ok()) {
    WARN("skipped: no ptxas for sm_90a on this machine");
    return;
  }
  std::string kernel = kLoop;
  kernel.erase(kernel.find("nv.wgmma.fence"), std::string_view("nv.wgmma.fence").size());
  Emitted emitted = ptx_of(kernel);
  REQUIRE(emitted.text.ok());
  Result<Assembled> result = assemble(*emitted.text);
  REQUIRE(result.ok());
  CHECK(result->resources("loop").serialized_wgmma);
  CHECK_FALSE(faults_of(result->resources("loop")).empty());

  kernel = kLoop;
  kernel.replace(kernel.find("threads 128"), 11, "threads 128 cluster [1, 1, 1] min_blocks 8");
  emitted = ptx_of(kernel);
  REQUIRE(emitted.text.ok());
  result = assemble(*emitted.text);
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().code() == ErrorCode::unsupported);
}
