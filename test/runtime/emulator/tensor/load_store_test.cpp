// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tcgen05.ld and st of every shape: a store with one shape, a load with another. Emulated; the maps are written out
// here as PTX's matrix fragments draw them.
#include "test/runtime/emulator/tensor/tensor_kernel.h"

#include <catch2/catch.hpp>

using namespace tegula::emulator::test;

namespace {

std::string registers(unsigned first, unsigned count) {
  std::string s = "{";
  for (unsigned i = 0; i < count; ++i)
    s += (i ? ",%r" : "%r") + std::to_string(first + i);
  return s + "}";
}

/// Registers %r100.. of thread t get 1000 t + i.
std::string numbered(unsigned count) {
  std::string s;
  for (unsigned i = 0; i < count; ++i)
    s += "mad.lo.u32 %r" + std::to_string(100 + i) + ", %r2, 1000, " + std::to_string(i) + ";\n";
  return s;
}

struct Shape {
  const char *name;
  unsigned lanes, columns, registers;
  /// Lane and column of the register of a lane.
  std::pair<unsigned, unsigned> (*cell)(unsigned l, unsigned i);
};

// The drawings of PTX: in 16x64b lanes 4r, 4r + 2 hold row r and lanes 4r + 1, 4r + 3 hold row r + 8; in 16x128b and
// 16x256b four lanes hold a row, the second half of the registers rows 8 to 15.
const Shape kShapes[] = {
    {"32x32b.x4", 32, 4, 4, [](unsigned l, unsigned i) { return std::pair(l, i); }},
    {"16x64b.x2", 16, 4, 2,
     [](unsigned l, unsigned i) { return std::pair(l / 4 + (l & 1 ? 8 : 0), 2 * i + (l & 2 ? 1u : 0u)); }},
    {"16x128b.x2", 16, 8, 4,
     [](unsigned l, unsigned i) { return std::pair(l / 4 + (i & 1 ? 8 : 0), l % 4 + (i & 2 ? 4u : 0u)); }},
    {"16x256b.x2", 16, 16, 8,
     [](unsigned l, unsigned i) {
       return std::pair(l / 4 + (i & 2 ? 8 : 0), l % 4 * 2 + (i & 1) + (i & 4 ? 8u : 0u));
     }},
};

struct Transfer : TensorKernel {};

} // namespace

TEST_CASE_METHOD(Transfer, "tcgen05.st: where each shape puts a register") {
  for (const Shape &s : kShapes) {
    CAPTURE(s.name);
    columns = s.columns;
    std::string body = numbered(s.registers);
    for (unsigned half = 0; half < 32 / s.lanes; ++half)
      body += "tcgen05.st.sync.aligned." + std::string(s.name) + ".b32 [%r1+" + std::to_string(half * 16 << 16) +
              "], " + registers(100, s.registers) + ";\n";
    std::vector<uint32_t> dump;
    CUresult r = run_body(body + "tcgen05.wait::st.sync.aligned;", &dump);
    UNSCOPED_INFO(log);
    REQUIRE(r == CUDA_SUCCESS);
    for (unsigned t = 0; t < 128; ++t)
      for (unsigned i = 0; i < s.registers; ++i)
        for (unsigned half = 0; half < 32 / s.lanes; ++half) {
          auto [lane, column] = s.cell(t % 32, i);
          CHECK(dump[(t / 32 * 32 + half * 16 + lane) * columns + column] == 1000 * t + i);
        }
  }
}

TEST_CASE_METHOD(Transfer, "tcgen05.ld: each shape reads back what it stored, to x128") {
  const std::pair<const char *, unsigned> kLoads[] = {{"32x32b.x1", 1},     {"32x32b.x128", 128}, {"16x64b.x1", 1},
                                                      {"16x64b.x128", 128}, {"16x128b.x1", 2},    {"16x128b.x64", 128},
                                                      {"16x256b.x1", 4},    {"16x256b.x32", 128}};
  for (auto [name, count] : kLoads) {
    CAPTURE(name);
    columns = 1;
    first_column = 400;
    std::string shape = std::string(".sync.aligned.") + name + ".b32 ";
    std::string body = numbered(count) + "tcgen05.st" + shape + "[%r1], " + registers(100, count) +
                       ";\ntcgen05.wait::st.sync.aligned;\n";
    for (unsigned i = 0; i < count; ++i)
      body += "mov.u32 %r" + std::to_string(100 + i) + ", 0;\n";
    body += "tcgen05.ld" + shape + registers(100, count) + ", [%r1];\ntcgen05.wait::ld.sync.aligned;\n" +
            "mov.u32 %r20, 1;\n"; // column 400 gets 1 where all registers are right
    for (unsigned i = 0; i < count; ++i)
      body += "mad.lo.u32 %r21, %r2, 1000, " + std::to_string(i) + "; setp.ne.u32 %p2, %r21, %r" +
              std::to_string(100 + i) + "; @%p2 mov.u32 %r20, 0;\n";
    body += "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r1+400], {%r20}; tcgen05.wait::st.sync.aligned;";
    std::vector<uint32_t> dump;
    CUresult r = run_body(body, &dump);
    UNSCOPED_INFO(log);
    REQUIRE(r == CUDA_SUCCESS);
    CHECK(dump == std::vector<uint32_t>(128, 1));
  }
}

TEST_CASE_METHOD(Transfer, "tcgen05.st.16x32bx2 puts its upper lanes at an offset of columns") {
  columns = 12;
  std::vector<uint32_t> dump;
  std::string fill = "mov.u32 %r20, 7; mov.u32 %r21, 0;\n";
  std::string zeros;
  for (int i = 0; i < 12; ++i)
    zeros += "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r1+" + std::to_string(i) + "], {%r21};\n";
  CUresult r = run_body(numbered(2) + fill + zeros +
                            "tcgen05.wait::st.sync.aligned;\n"
                            "tcgen05.st.sync.aligned.16x32bx2.x2.b32 [%r1], 8, {%r100,%r101}; "
                            "tcgen05.wait::st.sync.aligned;",
                        &dump);
  UNSCOPED_INFO(log);
  REQUIRE(r == CUDA_SUCCESS);
  for (unsigned t = 0; t < 128; ++t)
    for (unsigned i = 0; i < 2; ++i)
      CHECK(dump[(t / 32 * 32 + t % 16) * 12 + i + (t % 32 >= 16 ? 8 : 0)] == 1000 * t + i);
}

TEST_CASE_METHOD(Transfer, "tcgen05: unpack spreads halves over two columns, pack joins them") {
  columns = 4;
  std::vector<uint32_t> dump;
  CUresult r = run_body("mov.u32 %r20, 0x00020001; mov.u32 %r21, 0x00040003;\n"
                        "tcgen05.st.sync.aligned.32x32b.x2.unpack::16b.b32 [%r1], {%r20,%r21}; "
                        "tcgen05.wait::st.sync.aligned;",
                        &dump);
  UNSCOPED_INFO(log);
  REQUIRE(r == CUDA_SUCCESS);
  for (unsigned i = 0; i < 4; ++i)
    CHECK(dump[37 * 4 + i] == i + 1);
  columns = 1;
  first_column = 8;
  r = run_body("mov.u32 %r20, 0xaaaa1234; mov.u32 %r21, 0xbbbb5678;\n"
               "tcgen05.st.sync.aligned.32x32b.x2.b32 [%r1], {%r20,%r21}; tcgen05.wait::st.sync.aligned;\n"
               "tcgen05.ld.sync.aligned.32x32b.x1.pack::16b.b32 {%r22}, [%r1]; tcgen05.wait::ld.sync.aligned;\n"
               "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r1+8], {%r22}; tcgen05.wait::st.sync.aligned;",
               &dump);
  REQUIRE(r == CUDA_SUCCESS);
  CHECK(dump[99] == 0x56781234);
}

TEST_CASE_METHOD(Transfer, "tcgen05.ld: the address may name the warp's own quarter, no other") {
  auto at = [&](const std::string &lane) {
    return run_body("tcgen05.st.sync.aligned.32x32b.x1.b32 [%r1], {%r2}; tcgen05.wait::st.sync.aligned;\n" + lane +
                    "shl.b32 %r21, %r20, 16; add.u32 %r21, %r21, %r1;\n"
                    "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r22}, [%r21]; tcgen05.wait::ld.sync.aligned;");
  };
  columns = 1;
  CHECK(at("mov.u32 %r20, 0;\n") == CUDA_SUCCESS);
  CHECK(at("and.b32 %r20, %r2, 0xe0;\n") == CUDA_SUCCESS);
  CHECK(at("mov.u32 %r20, 32;\n") == CUDA_ERROR_LAUNCH_FAILED);
}
TEST_CASE_METHOD(Transfer, "tcgen05.ld: a shape of 16 lanes begins at the first or the 17th lane") {
  columns = 1;
  CHECK(run_body("tcgen05.st.sync.aligned.32x32b.x2.b32 [%r1], {%r2,%r2}; tcgen05.wait::st.sync.aligned;\n"
                 "add.u32 %r20, %r1, 0x80000; tcgen05.ld.sync.aligned.16x64b.x1.b32 {%r21}, [%r20]; "
                 "tcgen05.wait::ld.sync.aligned;") == CUDA_ERROR_LAUNCH_FAILED);
}
TEST_CASE_METHOD(Transfer, "tcgen05.ld: an address that differs within the warp is named") {
  columns = 1;
  CHECK(run_body("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r21}, [%r2];") == CUDA_ERROR_LAUNCH_FAILED);
}
TEST_CASE_METHOD(Transfer, "tcgen05.ld: a column that nothing has written is named") {
  columns = 1;
  CHECK(run_body("") == CUDA_ERROR_LAUNCH_FAILED);
}
TEST_CASE_METHOD(Transfer, "tcgen05.ld.red is refused: sm_100a has none") {
  CHECK(run_body("tcgen05.ld.red.sync.aligned.32x32b.x2.min.u32 {%r20,%r21}, %r22, [%r1];") == CUDA_ERROR_INVALID_PTX);
  CHECK(log.find("sm_103a") != std::string::npos);
}
