// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX that is wrong on purpose: a diagnostic with its line, never a crash. The mutations have a fixed seed.
#include "test/runtime/emulator/emulated.h"

#include <catch2/catch.hpp>

#include <random>

using namespace tegula::emulator::test;

namespace {

const std::string kHead = ".version 8.0\n.target sm_90\n.address_size 64\n";

/// A change such as a broken tool would make: bytes, pieces cut out, doubled or moved, numbers made huge.
std::string mutate(std::string text, std::mt19937 &random) {
  auto at = [&] { return text.empty() ? 0 : random() % text.size(); };
  for (unsigned n = random() % 4 + 1; n > 0; --n) {
    size_t where = at(), length = std::min<size_t>(random() % 40, text.size() - where);
    switch (random() % 7) {
    case 0: text.resize(where); break;
    case 1: text.erase(where, length); break;
    case 2: text.insert(at(), text.substr(where, length)); break;
    case 3:
      if (!text.empty())
        text[where] = static_cast<char>(random());
      break;
    case 4: text.insert(where, "99999999999"); break;
    case 5: text.insert(where, std::string(1, "{}[](),;@!%_.:<>|-"[random() % 18])); break;
    default: text.insert(where, ".reg .pred p; bra L; L: .param .b8 x[4294967295]; call f;");
    }
  }
  return text;
}

} // namespace

TEST_CASE_METHOD(Emulated, "each kind of broken module is refused with its line") {
  struct Row {
    std::string text;
    std::string line;
  };
  auto [text, line] = GENERATE(values<Row>({
      {kHead + ".entry k() {\n  add.u32 %r1,", "line 5"},
      {kHead + ".entry k() {\n  bra NOWHERE;\n}", "line 5"},
      {kHead + ".entry k() {\n  .unknown 3;\n}", "line 5"},
      {kHead + ".entry k() {\n  frobnicate.u32 %r1, %r2;\n}", "line 5"},
      {kHead + ".entry k() {\n  L: L: ret;\n}", "line 5"},
      {kHead + ".entry k() .maxntid 99999999999999999999 { ret; }", "line 4"},
      {kHead + ".entry k() { .reg .b32 %r<4294967296>; ret; }", "line 4"},
      {kHead + ".entry k() {\n.reg .b32 r; mov.u32 r, " + std::string(5000, '(') + "1;\n}", "line 5"},
      {kHead + ".entry k() " + std::string(5000, '{'), "line 4"},
      {kHead + "/* a comment without an end", ""},
      {kHead + ".global .b8 s[] = {" + std::string(3000, '{') + "1};", "line 4"},
  }));
  CHECK(load(text) == (line.empty() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_PTX));
  CHECK(log.find(line) != std::string::npos);
}

TEST_CASE_METHOD(Emulated, "functions that call each other in a circle load") {
  CHECK(load(kHead +
             ".func f(); .func g() { call f, (); ret; } .func f() { call g, (); ret; } .entry k() { call f, (); "
             "ret; }") == CUDA_SUCCESS);
}

TEST_CASE_METHOD(Emulated, "thousands of mutations of real modules load or are refused") {
  std::mt19937 random(20);
  std::string name = GENERATE(as<std::string>{}, "simt_o3.ptx", "gemm_sm90.ptx");
  std::string original = read(name);
  original.resize(std::min<size_t>(original.rfind('}', 20000) + 1, original.size()));
  for (int i = 0; i < 1000; ++i) {
    CUresult r = load(mutate(original, random));
    REQUIRE((r == CUDA_SUCCESS || r == CUDA_ERROR_INVALID_PTX || r == CUDA_ERROR_NO_BINARY_FOR_GPU ||
             r == CUDA_ERROR_OUT_OF_MEMORY));
  }
}
