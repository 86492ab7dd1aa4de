// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ptxas as it is found on this machine; without one the cases that need it say so.
#include <catch2/catch.hpp>

#include "compiler/ptx/assemble.h"
#include "test/compiler/ptx/steps.h"

using namespace tegula;

static bool have_ptxas() {
  if (find_ptxas("sm_90a").ok())
    return true;
  WARN("skipped: no ptxas for sm_90a on this machine");
  return false;
}

static const char *const kPtx = ".version 8.0\n.target sm_90a\n.address_size 64\n"
                                ".visible .entry k(.param .u64 p)\n{\n.reg .b64 %a;\n.reg .b32 %v;\n"
                                "ld.param.u64 %a, [p];\nmov.u32 %v, %tid.x;\nst.global.u32 [%a], %v;\nret;\n}\n";

TEST_CASE("without ptxas the result is PTX alone and says so") {
  Result<Assembled> asked = assemble(kPtx, {.use_ptxas = false});
  REQUIRE(asked.ok());
  CHECK(asked->ptx_only());
  CHECK(asked->note == "no cubin: the driver is to compile the PTX, as asked");
  CHECK(asked->assembler_name() == "driver");
}

TEST_CASE("an architecture that no ptxas knows leaves PTX alone, with the reason") {
  Result<Assembled> result = assemble(kPtx, {.arch = "sm_999a"});
  if (!result.ok()) // a ptxas that claims to know everything refuses by itself
    return;
  CHECK(result->ptx_only());
  CHECK(result->note.starts_with("no cubin: "));
}

TEST_CASE("a kernel becomes a cubin with its report") {
  if (!have_ptxas())
    return;
  Result<Assembled> result = assemble(kPtx);
  REQUIRE(result.ok());
  REQUIRE(result->cubin.size() > 4);
  CHECK(static_cast<char>(result->cubin[1]) == 'E'); // 0x7f E L F
  CHECK(result->resources("k").registers > 0);
  CHECK(result->resources("other").registers == 0);
  CHECK(faults_of(result->resources("k")).empty());
  CHECK(result->assembler_name().starts_with("ptxas "));
}

TEST_CASE("an error of ptxas shows the line of PTX that it points at") {
  if (!have_ptxas())
    return;
  std::string ptx = kPtx;
  ptx.replace(ptx.find("st.global.u32"), 13, "st.globul.u32");
  Result<Assembled> result = assemble(ptx);
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().code() == ErrorCode::internal);
  CHECK(result.error().message().find("refuses the kernel for sm_90a") != std::string::npos);
  CHECK(result.error().message().find("PTX line 10: st.globul.u32 [%a], %v;") != std::string::npos);
}
