// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX that people write by hand: constant expressions, carries, comparisons of halves; what is wrong is said by line.
#include "test/runtime/emulator/emulated.h"

#include <catch2/catch.hpp>

using namespace tegula::emulator::test;

namespace {

std::string entry(const std::string &body) {
  return ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out) {\n.reg .b64 %rd<8>; "
         ".reg .b32 %r<16>; .reg .b16 %h<4>; .reg .pred %p<4>; ld.param.u64 %rd0, [out];\n" +
         body + "\nret;\n}\n";
}

struct Language : Emulated {
  uint64_t constant(const std::string &expression) {
    CUresult r = load(entry("mov.u64 %rd1, " + expression + "; st.global.u64 [%rd0], %rd1;"));
    INFO(expression << ": " << log);
    REQUIRE(r == CUDA_SUCCESS);
    auto out = allocate(8);
    REQUIRE(run("k", {1}, {1}, out) == CUDA_SUCCESS);
    return download<uint64_t>(out, 1)[0];
  }
  bool holds(const std::string &instruction) {
    REQUIRE(load(entry("mov.b16 %h0, 0x0001; mov.b16 %h1, 0x0000;" + instruction +
                       "selp.b32 %r0, 1, 0, %p0; st.global.u32 [%rd0], %r0;")) == CUDA_SUCCESS);
    auto out = allocate(4);
    REQUIRE(run("k", {1}, {1}, out) == CUDA_SUCCESS);
    return download<uint32_t>(out, 1)[0] != 0;
  }
};

} // namespace

TEST_CASE_METHOD(Language, "operators of constants bind as in C") {
  CHECK(constant("(1 + 2 * 3)") == 7);
  CHECK(constant("(2 * 3 + 1)") == 7);
  CHECK(constant("(10 - 4 - 3)") == 3);
  CHECK(constant("(1 << 2 + 3)") == 32);
  CHECK(constant("(6 & 3 == 3)") == 0); // 6 & (3 == 3) is 0
  CHECK(constant("(1 | 6 ^ 2 & 3)") == 5);
  CHECK(constant("(1 < 2 && 3 != 3 || 5 >= 5)") == 1);
  CHECK(constant("(0 ? 4 : 1 ? 8 : 9)") == 8);
  CHECK(constant("(~0 == -1)") == 1);
  CHECK(constant("(!7 + 2)") == 2);
}

TEST_CASE_METHOD(Language, "constants divide, shift and compare by their sign") {
  CHECK(constant("(-7 / 2)") == static_cast<uint64_t>(-3));
  CHECK(constant("(-7 % 2)") == static_cast<uint64_t>(-1));
  CHECK(constant("(-8 >> 1)") == static_cast<uint64_t>(-4));
  CHECK(constant("((.u64)(-8) >> 1)") == 0x7ffffffffffffffc);
  CHECK(constant("(-1 < 1U)") == 0);
  CHECK(constant("(-1 < 1)") == 1);
  CHECK(constant("0xffffffffffffffff") == ~uint64_t{0});
}

TEST_CASE_METHOD(Language, "a literal beyond 64 bits is an error with its line") {
  CHECK(load(entry("mov.u64 %rd1, 0x10000000000000000;")) == CUDA_ERROR_INVALID_PTX);
  CHECK(log.find("line 6") != std::string::npos);
}

TEST_CASE_METHOD(Language, "offsets of an address add up from the left") {
  REQUIRE(load(entry("mov.u32 %r0, 9; st.global.u32 [%rd0+16-4+2*4], %r0;")) == CUDA_SUCCESS);
  auto out = upload(std::vector<uint32_t>(8));
  REQUIRE(run("k", {1}, {1}, out) == CUDA_SUCCESS);
  CHECK(download<uint32_t>(out, 8)[5] == 9);
}

TEST_CASE_METHOD(Language, "mad.cc and madc multiply 64 by 64 bits into 128") {
  REQUIRE(load(entry(R"(
    mov.u32 %r0, 0x89abcdef; mov.u32 %r1, 0x01234567; mov.u32 %r2, 0x76543210; mov.u32 %r3, 0xfedcba98;
    mul.lo.u32 %r4, %r0, %r2; mul.hi.u32 %r5, %r0, %r2;
    mad.lo.cc.u32 %r5, %r0, %r3, %r5; madc.hi.u32 %r6, %r0, %r3, 0;
    mad.lo.cc.u32 %r5, %r1, %r2, %r5; madc.hi.cc.u32 %r6, %r1, %r2, %r6; addc.u32 %r7, 0, 0;
    mad.lo.cc.u32 %r6, %r1, %r3, %r6; madc.hi.u32 %r7, %r1, %r3, %r7;
    st.global.v4.u32 [%rd0], {%r4, %r5, %r6, %r7};)")) == CUDA_SUCCESS);
  auto out = allocate(16);
  REQUIRE(run("k", {1}, {1}, out) == CUDA_SUCCESS);
  unsigned __int128 want = static_cast<unsigned __int128>(0x0123456789abcdefull) * 0xfedcba9876543210ull;
  auto got = download<uint64_t>(out, 2);
  CHECK(got[0] == static_cast<uint64_t>(want));
  CHECK(got[1] == static_cast<uint64_t>(want >> 64));
}

TEST_CASE_METHOD(Language, "a comparison of halves with .ftz takes subnormals for zero") {
  CHECK(holds("setp.gt.f16 %p0, %h0, %h1;"));
  CHECK_FALSE(holds("setp.gt.ftz.f16 %p0, %h0, %h1;"));
}

TEST_CASE_METHOD(Language, "lop3 with a predicate tells whether a bit is left") {
  CHECK(holds("mov.u32 %r1, 12; setp.ne.u32 %p1, 0, 0; lop3.or.b32 %r2|%p0, %r1, 4, 0, 0xc0, %p1;"));
  CHECK_FALSE(holds("mov.u32 %r1, 12; setp.ne.u32 %p1, 0, 0; lop3.or.b32 _|%p0, %r1, 3, 0, 0xc0, %p1;"));
  CHECK_FALSE(holds("mov.u32 %r1, 12; setp.ne.u32 %p1, 0, 0; lop3.and.b32 %r2|%p0, %r1, 4, 0, 0xc0, %p1;"));
}

TEST_CASE_METHOD(Language, "mad24 and the reciprocal root of doubles") {
  REQUIRE(load(entry("mov.u32 %r0, 0x01000003; mad24.lo.u32 %r1, %r0, 5, 7; st.global.u32 [%rd0], %r1;\n"
                     ".reg .f64 %d; mov.f64 %d, 0d4010000000000000; rsqrt.approx.f64 %d, %d; "
                     "st.global.f64 [%rd0+8], %d;")) == CUDA_SUCCESS);
  auto out = allocate(16);
  REQUIRE(run("k", {1}, {1}, out) == CUDA_SUCCESS);
  CHECK(download<uint32_t>(out, 1)[0] == 22);            // the upper 8 bits do not count: 3 * 5 + 7
  CHECK(download<double>(out + 8, 1)[0] == Approx(0.5)); // 1 / sqrt(4)
}
