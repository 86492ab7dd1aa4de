// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a target lacks is an error at the line that asks for it.
#include <catch2/catch.hpp>

#include "test/compiler/ptx/steps.h"

using namespace tegula;

static const char *const kWgmma = R"(
nv.kernel @k() threads 128 {
  %s = nv.shared_base
  %a = nv.descriptor %s bits = 0x4000004000010000
  %c = arith.constant dense<0.0> : vector<4xf32>
  %d = nv.wgmma bf16 %a, %a, %c : !nv.descriptor, vector<4xf32> loc("gemm.cpp":31:9)
  nv.return
})";

static bool has(const std::string &text, std::string_view word) { return text.find(word) != std::string::npos; }

TEST_CASE("verifier-03: wgmma on a target without it is an error at its line, and the next compile works") {
  for (const char *arch : {"sm_80", "sm_90", "sm_100a"}) {
    Emitted emitted = ptx_of(kWgmma, {.arch = arch});
    REQUIRE_FALSE(emitted.text.ok());
    CHECK(emitted.text.error().code() == ErrorCode::unsupported);
    CHECK(has(emitted.text.error().message(), std::string(arch) + " lacks wgmma (needs sm_90a alone)"));
    REQUIRE(emitted.diagnostics.size() == 1);
    CHECK(has(emitted.diagnostics[0], "\"gemm.cpp\":31:9"));
    CHECK(has(emitted.diagnostics[0], std::string(arch) + " has no wgmma; it needs sm_90a alone"));
    CHECK(ptx_of(kWgmma).text.ok());
  }
}

TEST_CASE("sm_100a takes Hopper's other instructions") {
  Emitted emitted = ptx_of(R"(
    nv.kernel @k(%map: !nv.tensor_map, %x: i32, %parity: i32) threads 128 cluster [2, 1, 1] {
      %s = nv.shared_base
      %b = nv.mbarrier.at %s
      %one = nv.elect
      nv.setmaxnreg dec 40
      nv.mbarrier.init %b, count = 1 if %one
      nv.fence.mbarrier_init
      nv.cluster.arrive
      nv.cluster.wait
      nv.mbarrier.arrive_expect %b, %x if %one
      nv.tma.load %map[%x] to %s, %b if %one
      nv.mbarrier.wait %b, %parity
      %m = nv.ldmatrix %s : vector<8xbf16>
      nv.stmatrix %s, %m : vector<8xbf16>
      nv.fence.proxy_async
      nv.tma.store %map[%x] from %s if %one
      nv.bulk.commit
      nv.bulk.wait pending = 0
      nv.griddep.launch
      nv.return
    })",
                           {.arch = "sm_100a"});
  CHECK(emitted.diagnostics.empty());
  REQUIRE(emitted.text.ok());
  CHECK(has(*emitted.text, ".target sm_100a"));
}

TEST_CASE("everything that a target lacks is said at once") {
  Emitted emitted = ptx_of(R"(
    nv.kernel @k(%parity: i32) threads 128 {
      %s = nv.shared_base
      %b = nv.mbarrier.at %s
      nv.mbarrier.wait %b, %parity
      nv.setmaxnreg dec 40
      nv.return
    })",
                           {.arch = "sm_80"});
  REQUIRE_FALSE(emitted.text.ok());
  CHECK(emitted.diagnostics.size() == 2);
  CHECK(has(emitted.text.error().message(), "mbarrier.try_wait"));
  CHECK(has(emitted.text.error().message(), "setmaxnreg"));
}

TEST_CASE("an architecture that we emit nothing for is refused, as is a name that is none") {
  Emitted old = ptx_of("nv.kernel @k() threads 32 { nv.return }", {.arch = "sm_80"});
  REQUIRE_FALSE(old.text.ok());
  CHECK(old.text.error().message() == "no code is emitted for sm_80; give sm_90a or sm_100a");
  Emitted odd = ptx_of("nv.kernel @k() threads 32 { nv.return }", {.arch = "hopper"});
  REQUIRE_FALSE(odd.text.ok());
  CHECK(odd.text.error().code() == ErrorCode::bad_argument);
  CHECK(odd.text.error().message() == "'hopper' is no architecture; give sm_90a or sm_100a");
}
