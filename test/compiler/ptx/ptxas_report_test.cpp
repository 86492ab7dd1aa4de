// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ptxas's words, as 13.0 prints them, and what is read from them.
#include <catch2/catch.hpp>

#include "compiler/ptx/ptxas_report.h"

using namespace tegula;

static const char *const kPlain = R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'gemm' for 'sm_90a'
ptxas info    : Function properties for gemm
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 168 registers, used 3 barriers, 1024 bytes smem
ptxas info    : Compile time = 180.025 ms
)";

static std::string with_remark(const std::string &remark) { return "ptxas info    : " + remark + "\n" + kPlain; }

TEST_CASE("registers, stack, spills and shared memory are read") {
  std::vector<EntryReport> reports =
      parse_ptxas_report("ptxas info    : Compiling entry function 'k' for 'sm_90a'\n"
                         "ptxas info    : Function properties for k\n"
                         "    48 bytes stack frame, 44 bytes spill stores, 60 bytes spill loads\n"
                         "ptxas info    : Used 255 registers, used 1 barriers, 48 bytes cumulative stack size, 2048 "
                         "bytes smem, 400 bytes cmem[0]\n");
  REQUIRE(reports.size() == 1);
  const ResourceReport &report = reports[0].resources;
  CHECK(reports[0].entry == "k");
  CHECK(report.registers == 255);
  CHECK(report.stack_bytes == 48);
  CHECK(report.spill_store_bytes == 44);
  CHECK(report.spill_load_bytes == 60);
  CHECK(report.shared_bytes == 2048);
  CHECK_FALSE(report.serialized_wgmma);
  CHECK(faults_of(report) == std::vector<std::string>{"spills 44 bytes and loads back 60", "uses 48 bytes of stack"});
}

TEST_CASE("a clean report has no remarks and no faults") {
  std::vector<EntryReport> reports = parse_ptxas_report(kPlain);
  REQUIRE(reports.size() == 1);
  CHECK(reports[0].resources.registers == 168);
  CHECK(reports[0].resources.shared_bytes == 1024);
  CHECK(reports[0].resources.remarks.empty());
  CHECK(faults_of(reports[0].resources).empty());
}

TEST_CASE("every remark that says that wgmma is serialised is known") {
  const std::string loss = "Potential Performance Loss: wgmma.mma_async instructions are serialized due to ";
  for (const std::string &remark : {
           "(C7509) " + loss + "the presence of Extern calls in the function 'gemm'",
           "(C7510) " + loss + "wgmma pipeline crossing function boundary at a function call in the function 'gemm'",
           "(C7511) " + loss + "insufficient register resources for the wgmma pipeline in the function 'gemm'",
           "(C7512) " + loss + "insufficient register resources for the function 'gemm'",
           "(C7513) " + loss +
               "non wgmma instructions defining input registers of a wgmma between start and end of "
               "the pipeline stage in the function 'gemm'",
           "(C7514) " + loss +
               "non wgmma instructions reading accumulator registers of  a wgmma between start and end "
               "of the pipeline stage in the function 'gemm'",
           "(C7515) " + loss +
               "non wgmma instructions defining accumulator registers of a wgmma between start and end "
               "of the pipeline stage in the function 'gemm'",
           "(C7516) " + loss + "ill formed pipeline stage in the function 'gemm'",
           std::string("(C7517) warpgroup.wait is injected in around line 196 by compiler to allow use of registers "
                       "defined by GMMA in function 'gemm'"),
           std::string("(C7519) warpgroup.arrive is injected in around line 196 by compiler to allow use of registers "
                       "in GMMA in function 'gemm'"),
           "(C7518) " + loss + "program dependence on compiler-inserted WG.DP in divergent path in the function 'gemm'",
           "(C7520) " + loss + "program dependence on compiler-inserted WG.AR in divergent path in the function 'gemm'",
       }) {
    INFO(remark);
    std::vector<EntryReport> reports = parse_ptxas_report(with_remark(remark));
    REQUIRE(reports.size() == 1);
    const ResourceReport &report = reports[0].resources;
    CHECK(report.serialized_wgmma);
    REQUIRE(report.remarks.size() == 1);
    CHECK(report.remarks[0].substr(0, 7) == remark.substr(1, 5) + ": ");
    CHECK(report.remarks[0].find("Potential") == std::string::npos);
    CHECK(faults_of(report) == report.remarks);
  }
}

TEST_CASE("an ignored setmaxnreg is a fault, but serialises nothing") {
  const std::string loss = "Potential Performance Loss: 'setmaxnreg' ignored ";
  for (const std::string &remark : {
           "(C7504) " + loss + "to maintain compatibility across compilation units.",
           "(C7505) " + loss + "to allow debugging.",
           "(C7506) " + loss + "to maintain compatibility into 'extern' call.",
           "(C7507) " + loss + "to maintain minimum register requirements.",
           std::string("(C7508) Potential Performance Loss: 'setmaxnreg' ignored; unable to determine register count "
                       "at entry."),
       }) {
    INFO(remark);
    std::vector<EntryReport> reports = parse_ptxas_report(with_remark(remark));
    REQUIRE(reports.size() == 1);
    CHECK_FALSE(reports[0].resources.serialized_wgmma);
    CHECK(faults_of(reports[0].resources).size() == 1);
  }
}

TEST_CASE("a remark goes to the function that it names, others to all") {
  std::vector<EntryReport> reports = parse_ptxas_report(
      "ptxas info    : (C7511) Potential Performance Loss: wgmma.mma_async instructions are serialized due to "
      "insufficient register resources for the function 'two'\n"
      "ptxas warning : Unresolved extern variable\n"
      "ptxas info    : Compiling entry function 'one' for 'sm_90a'\n"
      "ptxas info    : Used 40 registers\n"
      "ptxas info    : Compiling entry function 'two' for 'sm_90a'\n"
      "ptxas info    : Used 90 registers\n");
  REQUIRE(reports.size() == 2);
  CHECK(reports[0].resources.registers == 40);
  CHECK(reports[1].resources.registers == 90);
  CHECK_FALSE(reports[0].resources.serialized_wgmma);
  CHECK(reports[1].resources.serialized_wgmma);
  CHECK(reports[0].resources.remarks == std::vector<std::string>{"Unresolved extern variable"});
  CHECK(reports[1].resources.remarks.size() == 2);
}

TEST_CASE("nothing, and nonsense, give no report") {
  CHECK(parse_ptxas_report("").empty());
  CHECK(parse_ptxas_report("Used many registers\n\n: : (C\n'").empty());
}
