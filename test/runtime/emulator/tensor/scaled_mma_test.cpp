// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tcgen05.mma with block scaling. Emulated; expected values are sums in double of (a * scale) * (b * scale).
#include "test/runtime/emulator/tensor/matrix.h"
#include "test/runtime/emulator/tensor/tensor_kernel.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace tegula::emulator::test;

namespace {

struct ScaledCase {
  const char *modifiers; // kind and block size
  Format a, b;
  unsigned k, scales; // a row has so many of this K step
  bool ue8m0 = true;
  unsigned id = 0; // byte of the word where they begin
};

constexpr unsigned kM = 128, kN = 48;

double scale_value(unsigned code, bool ue8m0) {
  return ue8m0 ? std::ldexp(1.0, static_cast<int>(code) - 127) : value({"ue4m3", 8, 4, 3, false, 0}, code);
}

/// Scale codes: rows by 4, near 1.
std::vector<uint8_t> scale_codes(unsigned rows, bool ue8m0, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<uint8_t> s(size_t{rows} * 4);
  for (uint8_t &v : s)
    v = static_cast<uint8_t>(ue8m0 ? 125 + random() % 5 : 0x30 + random() % 16);
  return s;
}

/// The atom that cuBLAS uses: byte 16 (r % 32) + 4 (r / 32) + s of 128 rows by 4.
void place_scales(const std::vector<uint8_t> &codes, std::vector<std::byte> &image, size_t offset) {
  for (size_t r = 0; r < codes.size() / 4; ++r)
    for (size_t s = 0; s < 4; ++s)
      image[offset + 16 * (r % 32) + 4 * (r / 32) + s] = static_cast<std::byte>(codes[r * 4 + s]);
}

struct ScaledMma : TensorKernel {
  std::string copies = "tcgen05.cp.cta_group::1.32x128b.warpx4 [%r1+64], %rd23; "
                       "tcgen05.cp.cta_group::1.32x128b.warpx4 [%r1+68], %rd24;\n";

  int nan_row = -1;             // of A
  unsigned byte_in_address = 0; // of A's scale factors

  CUresult outcome(const ScaledCase &c, std::vector<uint32_t> *dump) {
    Matrix a(c.a, kM, c.k, 3), b(c.b, kN, c.k, 4);
    bool packed = c.k == 64;
    image.assign(48 << 10, std::byte{0});
    arguments[0] = place(a, {2, false, packed}, image, 0);
    arguments[1] = place(b, {2, false, packed}, image, 16 << 10);
    auto scales_a = scale_codes(kM, c.ue8m0, 5);
    if (nan_row >= 0)
      scales_a[static_cast<size_t>(nan_row) * 4] = 0xff;
    place_scales(scales_a, image, 40 << 10);
    place_scales(scale_codes(kN, c.ue8m0, 6), image, 44 << 10);
    uint64_t atom = uint64_t{1} << 46 | uint64_t{128 >> 4} << 32; // 8 rows of 16 bytes, then the next 8
    arguments[3] = atom | (40 << 10) >> 4;
    arguments[4] = atom | (44 << 10) >> 4;
    arguments[2] = c.id << 4 | c.a.code << 7 | c.b.code << 10 | kN / 8 << 17 | static_cast<uint64_t>(c.ue8m0) << 23 |
                   kM / 16 << 24 | uint64_t{c.id} << 29;
    columns = kN;
    return run_body(by_one_thread("shr.u32 %r20, %r4, 4; cvt.u64.u32 %rd20, %r20; add.u64 %rd21, %rd10, %rd20; "
                                  "add.u64 %rd22, %rd11, %rd20; cvt.u32.u64 %r21, %rd12; add.u64 %rd23, %rd13, %rd20; "
                                  "add.u64 %rd24, %rd14, %rd20;\n" +
                                  copies + "add.u32 %r22, %r1, " + std::to_string(64u + (byte_in_address << 30)) +
                                  ";\ntcgen05.mma.cta_group::1.kind::" + c.modifiers +
                                  " [%r1], %rd21, %rd22, %r21, [%r22], [%r1+68], 0;"),
                    dump);
  }

  void check(const ScaledCase &c) {
    CAPTURE(c.modifiers, c.a.name, c.b.name, c.id);
    std::vector<uint32_t> dump;
    CUresult r = outcome(c, &dump);
    UNSCOPED_INFO(log);
    REQUIRE(r == CUDA_SUCCESS);
    Matrix a(c.a, kM, c.k, 3), b(c.b, kN, c.k, 4);
    auto sa = scale_codes(kM, c.ue8m0, 5), sb = scale_codes(kN, c.ue8m0, 6);
    for (unsigned m = 0; m < kM; ++m)
      for (unsigned n = 0; n < kN; ++n) {
        double e = 0;
        for (unsigned q = 0; q < c.k; ++q) {
          unsigned s = c.id + q / (c.k / c.scales);
          e += a.at(m, q) * scale_value(sa[m * 4 + s], c.ue8m0) * b.at(n, q) * scale_value(sb[n * 4 + s], c.ue8m0);
        }
        float got;
        std::memcpy(&got, &dump[m * kN + n], 4);
        if (!(std::fabs(got - e) <= 1e-6 * (1 + std::fabs(e)))) {
          CAPTURE(m, n, e, got);
          FAIL("D differs");
        }
      }
  }
};

} // namespace

TEST_CASE_METHOD(ScaledMma, "tcgen05.mma: one scale a row and K step, from any byte of the word") {
  for (unsigned id = 0; id < 4; ++id)
    check({"mxf8f6f4.block_scale.block32", kE4m3, kE4m3, 32, 1, true, id});
  check({"mxf8f6f4.block_scale.scale_vec::1X", kE5m2, kE2m1, 32, 1});
  check({"mxf8f6f4.block_scale", kE3m2, kE2m3, 32, 1});
}
TEST_CASE_METHOD(ScaledMma, "tcgen05.mma: the address of scale factors may name the descriptor's byte, no other") {
  byte_in_address = 2;
  check({"mxf8f6f4.block_scale.block32", kE4m3, kE4m3, 32, 1, true, 2});
  CHECK(outcome({"mxf8f6f4.block_scale.block32", kE4m3, kE4m3, 32, 1, true, 1}, nullptr) == CUDA_ERROR_LAUNCH_FAILED);
}
TEST_CASE_METHOD(ScaledMma, "tcgen05.mma: two scales a row of packed fp4") {
  check({"mxf4.block_scale.block32", kE2m1Packed, kE2m1Packed, 64, 2});
  check({"mxf4.block_scale.scale_vec::2X", kE2m1Packed, kE2m1Packed, 64, 2, true, 2});
  check({"mxf4nvf4.block_scale.block32", kE2m1Packed, kE2m1Packed, 64, 2});
}
TEST_CASE_METHOD(ScaledMma, "tcgen05.mma: four scales a row, ue4m3 and ue8m0") {
  check({"mxf4nvf4.block_scale.block16", kE2m1Packed, kE2m1Packed, 64, 4, false});
  check({"mxf4nvf4.block_scale.scale_vec::4X", kE2m1Packed, kE2m1Packed, 64, 4, true});
}
TEST_CASE_METHOD(ScaledMma, "tcgen05.mma: scales that are not in all four quarters are named") {
  copies = "tcgen05.cp.cta_group::1.32x128b.warpx4 [%r1+64], %rd23; "
           "tcgen05.cp.cta_group::1.4x256b [%r1+68], %rd24;\n";
  CHECK(outcome({"mxf8f6f4.block_scale.block32", kE4m3, kE4m3, 32, 1}, nullptr) == CUDA_ERROR_LAUNCH_FAILED);
}
TEST_CASE_METHOD(ScaledMma, "tcgen05.mma: quarters with different scales are named") {
  copies = "tcgen05.cp.cta_group::1.32x128b.warpx4 [%r1+64], %rd23; "
           "tcgen05.cp.cta_group::1.128x128b [%r1+68], %rd21;\n";
  CHECK(outcome({"mxf8f6f4.block_scale.block32", kE4m3, kE4m3, 32, 1}, nullptr) == CUDA_ERROR_LAUNCH_FAILED);
}
TEST_CASE_METHOD(ScaledMma, "tcgen05.mma: a scale id that the block size does not have is named") {
  CHECK(outcome({"mxf4.block_scale.block32", kE2m1Packed, kE2m1Packed, 64, 2, true, 1}, nullptr) ==
        CUDA_ERROR_LAUNCH_FAILED);
}
TEST_CASE_METHOD(ScaledMma, "tcgen05.mma: a scale of 255 in ue8m0 is NaN, scale-06") {
  nan_row = 7;
  std::vector<uint32_t> dump;
  REQUIRE(outcome({"mxf8f6f4.block_scale.block32", kE4m3, kE4m3, 32, 1}, &dump) == CUDA_SUCCESS);
  for (unsigned m = 0; m < kM; ++m) {
    float d;
    std::memcpy(&d, &dump[m * kN + 5], 4);
    CHECK(std::isnan(d) == (m == 7));
  }
}
