// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions of sm_100 outside its tensor core: packed f32, small formats, random rounding, wide accesses, f32 redux,
// stores to the cluster. Expected bits are worked out by hand. Emulated.
#include "test/runtime/emulator/emulated.h"

#include <catch2/catch.hpp>

#include <bit>
#include <cmath>

using namespace tegula::emulator::test;

namespace {

constexpr uint32_t bits(float f) { return std::bit_cast<uint32_t>(f); }

/// One warp runs the body. Lane l has in[8 l..] in %r0 to %r7 (%f0 to %f7, pairs in %rd10 to %rd13) and its results in
/// %r20 to %r27; %rd8 and %rd9 are the addresses of the lane's 32 bytes of input and output.
std::vector<uint32_t> run(const std::string &body, std::vector<uint32_t> in) {
  std::string s =
      ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
      ".reg .pred %p<8>; .reg .b8 %b<4>; .reg .b16 %rs<8>; .reg .b32 %r<40>; .reg .f32 %f<40>; .reg .b64 "
      "%rd<40>;\nld.param.u64 %rd8, [in]; ld.param.u64 %rd9, [out]; mov.u32 %r30, %tid.x;\n"
      "mul.wide.u32 %rd1, %r30, 32; add.u64 %rd8, %rd8, %rd1; add.u64 %rd9, %rd9, %rd1;\n";
  for (int i = 0; i < 8; ++i) {
    std::string n = std::to_string(i);
    s += "ld.global.b32 %r" + n + ", [%rd8+" + std::to_string(4 * i) + "]; mov.b32 %f" + n + ", %r" + n +
         "; mov.u32 %r2" + n + ", 0;\n";
  }
  for (int i = 0; i < 4; ++i)
    s += "mov.b64 %rd1" + std::to_string(i) + ", {%r" + std::to_string(2 * i) + ", %r" + std::to_string(2 * i + 1) +
         "};\n";
  s += body + "\n";
  for (int i = 0; i < 8; ++i)
    s += "st.global.b32 [%rd9+" + std::to_string(4 * i) + "], %r2" + std::to_string(i) + ";\n";
  Emulated device(1);
  CUresult r = device.load(s + "ret;\n}\n");
  UNSCOPED_INFO(device.log);
  REQUIRE(r == CUDA_SUCCESS);
  in.resize(256);
  CUdeviceptr from = device.upload(in), to = device.allocate(1024);
  REQUIRE(device.run("k", {1}, {32}, from, to) == CUDA_SUCCESS);
  return device.download<uint32_t>(to, 256);
}

/// The first result of lane 0.
uint32_t first(const std::string &body, std::vector<uint32_t> in) { return run(body, std::move(in))[0]; }

const float kUp = std::nextafter(1.0f, 2.0f), kNan = std::nanf("");

} // namespace

TEST_CASE("f32x2: two independent results, in every rounding") {
  std::vector<uint32_t> in = {bits(1), bits(2), bits(0x1p-30f), bits(-3), bits(5), bits(0x1p-126f)};
  auto pair = [&](const std::string &op) {
    auto d = run(op + " mov.b64 {%r20, %r21}, %rd20;", in);
    return std::pair(std::bit_cast<float>(d[0]), std::bit_cast<float>(d[1]));
  };
  CHECK(pair("add.rn.f32x2 %rd20, %rd10, %rd11;") == std::pair(1.0f, -1.0f));
  CHECK(pair("add.rp.f32x2 %rd20, %rd10, %rd11;") == std::pair(kUp, -1.0f));
  CHECK(pair("sub.rm.f32x2 %rd20, %rd10, %rd11;") == std::pair(std::nextafter(1.0f, 0.0f), 5.0f));
  CHECK(pair("mul.f32x2 %rd20, %rd10, %rd11;") == std::pair(0x1p-30f, -6.0f));
  CHECK(pair("fma.rn.f32x2 %rd20, %rd10, %rd11, %rd12;") == std::pair(5.0f, -6.0f));
  in[5] = bits(0x1p-127f); // subnormal
  CHECK(pair("mul.rz.f32x2 %rd20, %rd12, %rd11;").second == -3 * 0x1p-127f);
  CHECK(pair("mul.rz.ftz.f32x2 %rd20, %rd12, %rd11;").second == 0);
}

TEST_CASE("cvt: two f32 to formats of 4 and 6 bits, the first in the upper part") {
  auto pair = [](const std::string &type, float a, float b) {
    bool byte = type == "e2m1x2";
    return first("cvt.rn.satfinite." + type + ".f32 " + (byte ? "%b0" : "%rs0") + ", %f0, %f1; " +
                     (byte ? "cvt.u32.u8 %r20, %b0;" : "cvt.u32.u16 %r20, %rs0;"),
                 {bits(a), bits(b)});
  };
  CHECK(pair("e2m1x2", 2.5f, 5.0f) == 0x46);    // both are ties: to 2 (100) and to 4 (110)
  CHECK(pair("e2m1x2", -0.3f, 100.0f) == 0x97); // -0.5 (1001), saturated to 6 (0111)
  CHECK(pair("e2m1x2", kNan, 0.24f) == 0x70);   // NaN becomes the largest; 0.24 is nearer to 0
  CHECK(pair("e2m3x2", 7.5f, 0.125f) == 0x1f01);
  CHECK(pair("e3m2x2", -28.0f, 0.0625f) == 0x3f01);
  // Back: every code of e2m1 as f16: 0, 0.5, 1, 1.5, 2, 3, 4, 6.
  const uint32_t kHalves[] = {0, 0x3800, 0x3c00, 0x3e00, 0x4000, 0x4200, 0x4400, 0x4600};
  for (uint32_t c = 0; c < 16; ++c)
    CHECK(first("cvt.u8.u32 %b0, %r0; cvt.rn.f16x2.e2m1x2 %r20, %b0;", {c << 4}) >> 16 ==
          (kHalves[c & 7] | (c & 8) << 12));
}

TEST_CASE("cvt: ue8m0 is an exponent, rounded up or down, without a sign") {
  auto scale = [](const std::string &round, float a) {
    return first("cvt." + round + ".ue8m0x2.f32 %rs0, %f0, %f1; cvt.u32.u16 %r20, %rs0;", {bits(a), bits(1)}) >> 8;
  };
  CHECK(scale("rp", 1) == 127);
  CHECK(scale("rp", 3) == 129);
  CHECK(scale("rz", 3) == 128);
  CHECK(scale("rp", -3) == 129);
  CHECK(scale("rp", 0) == 0);
  CHECK(scale("rp", 0x1.8p-127f) == 1);
  CHECK(scale("rz", 0x1.8p-127f) == 0);
  CHECK(scale("rp", HUGE_VALF) == 255);
  CHECK(scale("rp.satfinite", HUGE_VALF) == 254);
  CHECK(scale("rp.satfinite", 0x1.8p127f) == 254); // 2^128 is not there
  CHECK(scale("rz.satfinite", kNan) == 255);
  CHECK(first("cvt.rp.satfinite.ue8m0x2.bf16x2 %rs0, %r0; cvt.u32.u16 %r20, %rs0;", {0x40404000}) == 0x8180);
  // 127 is 1, 0 is 2^-127 (a subnormal bf16), 255 is NaN.
  CHECK(first("cvt.u16.u32 %rs0, %r0; cvt.rn.bf16x2.ue8m0x2 %r20, %rs0;", {0x7f00}) == 0x3f800040);
  CHECK((first("cvt.u16.u32 %rs0, %r0; cvt.rn.bf16x2.ue8m0x2 %r20, %rs0;", {0xff80}) >> 16 & 0x7fff) > 0x7f80);
}

TEST_CASE("cvt.rs: random bits decide, 13 a value for f16 and 16 for bf16") {
  // A quarter of a unit above 1: three quarters of the random numbers leave it, the upper quarter lifts it.
  const float f16 = 1 + 0x1p-12f, bf16 = 1 + 0x1p-9f;
  auto rounded = [](const std::string &type, float a, float b, uint32_t random) {
    return first("cvt.rs." + type + ".f32 %r20, %f0, %f1, %r2;", {bits(a), bits(b), random});
  };
  CHECK(rounded("f16x2", f16, 2, 0x17ff0000) == 0x3c004000);
  CHECK(rounded("f16x2", f16, 2, 0x18000000) == 0x3c014000);
  CHECK(rounded("f16x2", 2, f16, 0x00001800) == 0x40003c01);
  CHECK(rounded("f16x2", 2, -f16, 0x00001800) == 0x4000bc01); // magnitudes are rounded
  CHECK(rounded("bf16x2", bf16, 2, 0xbfff0000) == 0x3f804000);
  CHECK(rounded("bf16x2", bf16, 2, 0xc0000000) == 0x3f814000);
  CHECK(rounded("f16x2.satfinite", 1e6f, 65504, 0xffffffff) == 0x7bff7bff);
  CHECK(rounded("relu.f16x2", -1, 1, 0) == 0x00003c00);
}

TEST_CASE("redux of f32: minimum, maximum, magnitudes, NaN") {
  std::vector<uint32_t> in(256);
  for (uint32_t l = 0; l < 32; ++l)
    in[l * 8] = bits(static_cast<float>(l) - 20); // -20 to 11
  auto reduce = [&](const std::string &op) {
    return std::bit_cast<float>(first("redux.sync." + op +
                                          ".f32 %f8, %f0, "
                                          "0xffffffff; mov.b32 %r20, %f8;",
                                      in));
  };
  CHECK(reduce("max") == 11);
  CHECK(reduce("min") == -20);
  CHECK(reduce("max.abs") == 20);
  CHECK(reduce("min.abs") == 0);
  in[8] = bits(kNan);
  CHECK(reduce("max") == 11);
  CHECK(std::isnan(reduce("max.NaN")));
  in.assign(256, 0);
  in[16] = bits(-0.0f);
  CHECK(std::signbit(reduce("min")));
  CHECK_FALSE(std::signbit(reduce("max")));
}

TEST_CASE("256-bit loads and stores, with eviction hints") {
  std::vector<uint32_t> in(256);
  for (uint32_t i = 0; i < 256; ++i)
    in[i] = i * 3 + 1;
  const std::string words = "{%r20,%r21,%r22,%r23,%r24,%r25,%r26,%r27}";
  CHECK(run("ld.global.L1::no_allocate.L2::evict_first.v8.b32 " + words + ", [%rd8];", in) == in);
  CHECK(run("ld.global.nc.L2::evict_last.v4.b64 {%rd20,%rd21,%rd22,%rd23}, [%rd8]; st.global.L2::evict_last.v4.b64 "
            "[%rd9], {%rd20,%rd21,%rd22,%rd23}; ld.global.v8.b32 " +
                words + ", [%rd9];",
            in) == in);
}

TEST_CASE("f32 with halves: the half is widened, the sum is rounded once") {
  CHECK(first("cvt.u16.u32 %rs0, %r0; add.f32.bf16 %f8, %rs0, %f1; mov.b32 %r20, %f8;", {0x3fc0, bits(0.25f)}) ==
        bits(1.75f));
  CHECK(first("cvt.u16.u32 %rs0, %r0; sub.rp.f32.f16 %f8, %rs0, %f1; mov.b32 %r20, %f8;", {0x3c00, bits(-0x1p-30f)}) ==
        bits(kUp));
  CHECK(first("cvt.u16.u32 %rs0, %r0; fma.rn.f32.f16 %f8, %rs0, %rs0, %f1; mov.b32 %r20, %f8;", {0x4200, bits(1)}) ==
        bits(10));
}

TEST_CASE("min and max of three, of magnitudes, of pairs without negatives") {
  std::vector<uint32_t> in = {bits(-4), bits(3), bits(2)};
  CHECK(first("max.f32 %f8, %f0, %f1, %f2; mov.b32 %r20, %f8;", in) == bits(3));
  CHECK(first("max.abs.f32 %f8, %f0, %f1, %f2; mov.b32 %r20, %f8;", in) == bits(4));
  CHECK(first("min.NaN.abs.f32 %f8, %f0, %f1, %f2; mov.b32 %r20, %f8;", in) == bits(2));
  CHECK(first("max.relu.s16x2 %r20, %r0, %r1;", {0xfffe0005, 0xfffd0007}) == 0x00000007);
}

namespace {
/// Two CTAs; rank 1 stores to rank 0, which waits for the bytes and dumps its first 16.
std::vector<uint32_t> stored(const std::string &instructions, unsigned bytes) {
  Emulated device(1);
  CUresult r =
      device.load(".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
                  ".reg .pred %p<8>; .reg .b32 %r<40>; .reg .b64 %rd<8>; .shared .align 16 .b8 s[64]; .shared .align 8 "
                  ".b8 bar[8];\n"
                  "mov.u32 %r1, s; mov.u32 %r2, bar; mov.u32 %r3, %cluster_ctarank; mov.u32 %r4, 5;\n"
                  "st.shared.v4.b32 [%r1], {%r4, %r4, %r4, %r4};\n"
                  "mbarrier.init.shared::cta.b64 [%r2], 1; fence.mbarrier_init.release.cluster;\n"
                  "barrier.cluster.arrive; barrier.cluster.wait;\n"
                  "mov.u32 %r5, 0; mapa.shared::cluster.u32 %r6, %r1, %r5; mapa.shared::cluster.u32 %r7, %r2, %r5;\n"
                  "mov.u32 %r10, 10; mov.u32 %r11, 11; mov.u32 %r12, 12; mov.u32 %r13, 13;\n"
                  "setp.eq.u32 %p1, %r3, 0; @!%p1 bra STORE;\n"
                  "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], " +
                  std::to_string(bytes) +
                  ";\n"
                  "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], 0; @!%p2 bra WAIT;\n"
                  "ld.param.u64 %rd1, [out]; ld.shared.v4.b32 {%r20, %r21, %r22, %r23}, [%r1]; "
                  "st.global.v4.b32 [%rd1], {%r20, %r21, %r22, %r23}; bra END;\nSTORE:\n" +
                  instructions + "\nEND: barrier.cluster.arrive; barrier.cluster.wait; ret;\n}\n");
  UNSCOPED_INFO(device.log);
  REQUIRE(r == CUDA_SUCCESS);
  CUdeviceptr out = device.allocate(16);
  REQUIRE(device.run("k", {2}, {1}, 0u, Dim{2}, out) == CUDA_SUCCESS);
  return device.download<uint32_t>(out, 4);
}
} // namespace

TEST_CASE("st.async and red.async store to another CTA and complete on its barrier") {
  CHECK(stored("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%r6], {%r10,%r11,%r12,%r13}, [%r7];",
               16) == std::vector<uint32_t>{10, 11, 12, 13});
  CHECK(stored("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r6+4], %r11, [%r7];", 4) ==
        std::vector<uint32_t>{5, 11, 5, 5});
  CHECK(stored("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r6+8], %r12, [%r7];\n"
               "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.u32 [%r6], %r10, [%r7];",
               8) == std::vector<uint32_t>{10, 5, 17, 5});
}
TEST_CASE("st.bulk writes zeros") {
  CHECK(stored("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r6+12], %r13, [%r7];", 4)[3] == 13);
  CHECK(run("{ .shared .align 8 .b8 z[32]; mov.u32 %r31, z; mov.u32 %r32, 7; st.shared.v4.b32 [%r31], "
            "{%r32,%r32,%r32,%r32}; mov.u64 %rd20, 8; st.bulk.weak.shared::cta [%r31], %rd20, 0; "
            "ld.shared.v4.b32 {%r20,%r21,%r22,%r23}, [%r31]; }",
            {})[2] == 7);
  CHECK(run("{ .shared .align 8 .b8 z[32]; mov.u32 %r31, z; mov.u32 %r32, 7; st.shared.v4.b32 [%r31], "
            "{%r32,%r32,%r32,%r32}; mov.u64 %rd20, 8; st.bulk.weak.shared::cta [%r31], %rd20, 0; "
            "ld.shared.v4.b32 {%r20,%r21,%r22,%r23}, [%r31]; }",
            {})[1] == 0);
}
TEST_CASE("cvt.rs to four small values is refused, since its random bits are not documented") {
  Emulated device(1);
  CHECK(device.load(".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<4>; .reg "
                    ".f32 %f<4>;\ncvt.rs.satfinite.e4m3x4.f32 %r1, {%f0,%f1,%f2,%f3}, %r2;\nret;\n}\n") ==
        CUDA_ERROR_INVALID_PTX);
  CHECK(device.log.find("not documented") != std::string::npos);
}
