// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What stands in the PTX of small kernels.
#include <catch2/catch.hpp>

#include "test/compiler/ptx/steps.h"

using namespace tegula;

static std::string ptx(std::string_view nv, const PtxOptions &options = {}) {
  Emitted emitted = ptx_of(nv, options);
  for (const std::string &diagnostic : emitted.diagnostics)
    UNSCOPED_INFO(diagnostic);
  if (!emitted.text)
    UNSCOPED_INFO(emitted.text.error().describe());
  REQUIRE(emitted.text.ok());
  return *emitted.text;
}

static bool has(const std::string &text, std::string_view word) { return text.find(word) != std::string::npos; }

TEST_CASE("launch bounds, cluster and registers stand at the entry point") {
  std::string text = ptx("nv.kernel @k() threads 384 cluster [2, 1, 1] min_blocks 1 { nv.return }");
  CHECK(has(text, ".visible .entry k"));
  CHECK(has(text, ".reqntid 384"));
  CHECK(has(text, ".minnctapersm 1"));
  CHECK(has(text, ".explicitcluster"));
  CHECK(has(text, ".reqnctapercluster 2"));
}

TEST_CASE("a kernel without a cluster demands none at launch") {
  std::string text = ptx("nv.kernel @k() threads 128 max_registers 64 { nv.return }");
  CHECK_FALSE(has(text, "cluster"));
  CHECK(has(text, ".maxnreg 64"));
}

TEST_CASE("the PTX version is the lowest that the architecture allows") {
  CHECK(has(ptx("nv.kernel @k() threads 32 { nv.return }"), ".version 8.0"));
  CHECK(has(ptx("nv.kernel @k() threads 32 { nv.return }", {.arch = "sm_100a"}), ".version 8.6"));
}

TEST_CASE("a tensor map stays in the parameters: no local memory") {
  std::string text = ptx(R"(
    nv.kernel @k(%map: !nv.tensor_map, %x: i32) threads 32 {
      %s = nv.shared_base
      %b = nv.mbarrier.at %s
      %one = nv.elect
      nv.tma.load %map[%x] to %s, %b if %one
      nv.return
    })");
  CHECK(has(text, ".param .align 64 .b8 k_param_0[128]"));
  CHECK(has(text, ".extern .shared .align 1024 .b8 tegula_shared[]"));
  CHECK_FALSE(has(text, ".local"));
  CHECK_FALSE(has(text, "__local_depot"));
}

TEST_CASE("a named barrier's id is an immediate: from a register ptxas reserves all 16") {
  std::string text = ptx(R"(
    nv.kernel @k() threads 256 {
      %id = arith.constant 3 : i32
      %threads = arith.constant 256 : i32
      nv.barrier.arrive %id, %threads
      nv.barrier.sync %id, %threads
      nv.return
    })");
  CHECK(has(text, "barrier.cta.arrive.aligned 	3, 256") | has(text, "bar.arrive 	3, 256"));
  CHECK(has(text, "barrier.cta.sync.aligned 	3, 256") | has(text, "bar.sync 	3, 256"));
}

TEST_CASE("labels of waits are unique in a function") {
  std::string text = ptx(R"(
    nv.kernel @k(%parity: i32) threads 32 {
      %s = nv.shared_base
      %b = nv.mbarrier.at %s
      nv.mbarrier.wait %b, %parity
      nv.mbarrier.wait %b, %parity
      nv.return
    })");
  size_t first = text.find("tegula_wait_"), colon = text.find(':', first);
  REQUIRE(first != std::string::npos);
  std::string label = text.substr(first, colon - first + 1);
  CHECK(count(text, label) == 1);
}

TEST_CASE("multiply and add become one fma") {
  std::string text = ptx(R"(
    nv.kernel @k(%p: !llvm.ptr<1>, %a: f32, %b: f32, %c: f32) threads 32 {
      %m = arith.mulf %a, %b : f32
      %s = arith.addf %m, %c : f32
      %v = vector.broadcast %s : f32 to vector<1xf32>
      nv.st.global %p, %v : vector<1xf32>
      nv.return
    })");
  CHECK(has(text, "fma.rn.f32"));
  CHECK_FALSE(has(text, "mul.rn.f32"));
}

TEST_CASE("f32 becomes bf16 two elements at a time, without packing moves") {
  std::string text = ptx(R"(
    nv.kernel @k(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>) threads 32 {
      %v = nv.ld.global %p : vector<4xf32>
      %h = arith.truncf %v : vector<4xf32> to vector<4xbf16>
      nv.st.global %q, %h : vector<4xbf16>
      nv.return
    })");
  CHECK(count(text, "cvt.rn.bf16x2.f32") == 2);
  CHECK(count(text, "st.global.v2.b32") == 1);
  CHECK_FALSE(has(text, "mov.b32 \t{"));
}

TEST_CASE("maximum keeps NaN, exponentials are ex2") {
  std::string text = ptx(R"(
    nv.kernel @k(%p: !llvm.ptr<1>, %a: f32, %b: f32) threads 32 {
      %m = arith.maximumf %a, %b : f32
      %e = math.exp %m : f32
      %v = vector.broadcast %e : f32 to vector<1xf32>
      nv.st.global %p, %v : vector<1xf32>
      nv.return
    })");
  CHECK(has(text, "max.NaN.f32"));
  CHECK(has(text, "ex2.approx.ftz.f32"));
}

TEST_CASE("every mathematical function has instructions for scalars, vectors and 16-bit floats") {
  for (const char *function : {"exp", "exp2", "log", "log2", "sqrt", "rsqrt", "tanh", "erf", "sin", "cos", "absf",
                               "floor", "ceil", "roundeven", "trunc"})
    for (const char *type : {"f32", "bf16", "f16"}) {
      std::string t = type, op = std::string("math.") + function;
      std::string text = ptx("nv.kernel @k(%p: !llvm.ptr<1>) threads 32 {\n"
                             "  %v = nv.ld.global %p : vector<4x" +
                             t +
                             ">\n"
                             "  %e = vector.extract %v[0] : " +
                             t + " from vector<4x" + t +
                             ">\n"
                             "  %s = " +
                             op + " %e : " + t +
                             "\n"
                             "  %w = " +
                             op + " %v : vector<4x" + t +
                             ">\n"
                             "  %r = vector.insert %s, %w[1] : " +
                             t + " into vector<4x" + t +
                             ">\n"
                             "  nv.st.global %p, %r : vector<4x" +
                             t +
                             ">\n"
                             "  nv.return\n}");
      INFO(op << " of " << t);
      CHECK_FALSE(has(text, "call"));
      CHECK_FALSE(has(text, ".local"));
    }
}

TEST_CASE("LLVM IR can be looked at as it enters code generation") {
  Emitted emitted = llvm_ir_of("nv.kernel @k() threads 32 { nv.return }");
  REQUIRE(emitted.text.ok());
  CHECK(has(*emitted.text, "define ptx_kernel void @k()"));
  CHECK(has(*emitted.text, "target triple = \"nvptx64-nvidia-cuda\""));
}
