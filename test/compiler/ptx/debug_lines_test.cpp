// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lines of the source in the PTX, and the one word that must not stand there.
#include <catch2/catch.hpp>

#include "test/compiler/ptx/steps.h"

using namespace tegula;

static const char *const kKernel = R"(
  nv.kernel @k(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>) threads 32 {
    %v = nv.ld.global %p : vector<1xi32> loc("gemm.cpp":31:9)
    nv.st.global %q, %v : vector<1xi32> loc(callsite("gemm.cpp":32:9 at "tile.h":7:1))
    nv.return
  } loc("gemm.cpp":20:1))";

static bool has(const std::string &text, std::string_view word) { return text.find(word) != std::string::npos; }

TEST_CASE("line tables are the default, and cost no speed: the target isn't a debugger's") {
  Emitted emitted = ptx_of(kKernel);
  REQUIRE(emitted.text.ok());
  CHECK(has(*emitted.text, ".target sm_90a\n"));
  CHECK_FALSE(has(*emitted.text, ", debug"));
  CHECK(has(*emitted.text, ".file\t"));
  CHECK(has(*emitted.text, "gemm.cpp\""));
  CHECK(has(*emitted.text, ".loc\t1 31 9"));
  CHECK(has(*emitted.text, "32 9"));
}

TEST_CASE("without debug information there are no lines") {
  Emitted emitted = ptx_of(kKernel, {.debug = DebugInfo::none});
  REQUIRE(emitted.text.ok());
  CHECK_FALSE(has(*emitted.text, ".loc"));
  CHECK_FALSE(has(*emitted.text, ".file"));
}

TEST_CASE("full debug information makes the target a debugger's") {
  Emitted emitted = ptx_of(kKernel, {.debug = DebugInfo::full});
  REQUIRE(emitted.text.ok());
  CHECK(has(*emitted.text, ".target sm_90a, debug"));
}
