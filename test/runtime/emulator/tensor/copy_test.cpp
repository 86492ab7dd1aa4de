// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tcgen05.cp of every shape and tcgen05.shift. Emulated; the expected lanes are written out by hand.
#include "test/runtime/emulator/tensor/tensor_kernel.h"

#include <catch2/catch.hpp>

using namespace tegula::emulator::test;

namespace {

/// The image's 32-bit words count up, so that a cell tells from where it came.
struct Copy : TensorKernel {
  Copy() {
    image.assign(8 << 10, std::byte{0});
    for (uint32_t i = 0; i < image.size() / 4; ++i)
      std::memcpy(&image[i * 4], &i, 4);
    // No swizzle; 8 rows of 16 bytes, the next 8 behind them; the second 16 bytes of a row 2048 further on.
    arguments[0] = uint64_t{1} << 46 | uint64_t{2048 >> 4} << 16 | uint64_t{128 >> 4} << 32;
    columns = 8;
  }
  std::vector<uint32_t> dump(const std::string &copies, const std::string &before = kClear) {
    std::vector<uint32_t> d;
    CUresult r = run_body(before + by_one_thread("shr.u32 %r20, %r4, 4; cvt.u64.u32 %rd20, %r20; "
                                                 "add.u64 %rd21, %rd10, %rd20;\n" +
                                                 copies),
                          &d);
    UNSCOPED_INFO(log);
    REQUIRE(r == CUDA_SUCCESS);
    return d;
  }
  /// Every cell of the dump is 9999 before.
  inline static const std::string kClear =
      "mov.u32 %r40, 9999;\ntcgen05.st.sync.aligned.32x32b.x8.b32 [%r1], "
      "{%r40,%r40,%r40,%r40,%r40,%r40,%r40,%r40};\ntcgen05.wait::st.sync.aligned; tcgen05.fence::before_thread_sync; "
      "bar.sync 0; tcgen05.fence::after_thread_sync;\n";
};

/// The word of row r, column c of the source.
uint32_t word(unsigned r, unsigned c) { return r * 4 + c % 4 + c / 4 * 512; }

} // namespace

TEST_CASE_METHOD(Copy, "tcgen05.cp.128x256b and 128x128b: a row a lane") {
  std::vector<uint32_t> d = dump("tcgen05.cp.cta_group::1.128x256b [%r1], %rd21;");
  for (unsigned lane = 0; lane < 128; ++lane)
    for (unsigned c = 0; c < 8; ++c)
      CHECK(d[lane * 8 + c] == word(lane, c));
  d = dump("tcgen05.cp.cta_group::1.128x128b [%r1+4], %rd21;");
  for (unsigned lane = 0; lane < 128; ++lane)
    for (unsigned c = 0; c < 8; ++c)
      CHECK(d[lane * 8 + c] == (c < 4 ? 9999 : word(lane, c - 4)));
}
TEST_CASE_METHOD(Copy, "tcgen05.cp.64x128b: two quarters get the same") {
  std::vector<uint32_t> d = dump("tcgen05.cp.cta_group::1.64x128b.warpx2::02_13 [%r1], %rd21;");
  for (unsigned lane = 0; lane < 128; ++lane)
    CHECK(d[lane * 8 + 1] == word(lane % 64, 1));
  d = dump("tcgen05.cp.cta_group::1.64x128b.warpx2::01_23 [%r1], %rd21;");
  for (unsigned lane = 0; lane < 128; ++lane)
    CHECK(d[lane * 8 + 1] == word(lane % 32 + lane / 64 * 32, 1));
}
TEST_CASE_METHOD(Copy, "tcgen05.cp.32x128b.warpx4: every quarter gets the same") {
  std::vector<uint32_t> d = dump("tcgen05.cp.cta_group::1.32x128b.warpx4 [%r1], %rd21;");
  for (unsigned lane = 0; lane < 128; ++lane)
    CHECK(d[lane * 8 + 3] == word(lane % 32, 3));
}
TEST_CASE_METHOD(Copy, "tcgen05.cp.4x256b: a row to the address's lane of each quarter") {
  std::vector<uint32_t> d = dump("tcgen05.cp.cta_group::1.4x256b [%r1+327680], %rd21;"); // lane 5
  for (unsigned lane = 0; lane < 128; ++lane)
    CHECK(d[lane * 8 + 6] == (lane % 32 == 5 ? word(lane / 32, 6) : 9999));
}
TEST_CASE_METHOD(Copy, "tcgen05.cp expands 4 and 6 bits to bytes") {
  // Sixteen 4-bit values 0..15 in 8 bytes land in bits 5 to 2 of a byte each.
  image.assign(4 << 10, std::byte{0});
  for (unsigned r = 0; r < 128; ++r)
    for (unsigned i = 0; i < 8; ++i)
      image[r * 16 + i] = static_cast<std::byte>(2 * i | (2 * i + 1) << 4);
  std::vector<uint32_t> d = dump("tcgen05.cp.cta_group::1.128x128b.b8x16.b4x16_p64 [%r1], %rd21;");
  CHECK(d[70 * 8 + 0] == 0x0c080400);
  CHECK(d[70 * 8 + 3] == 0x3c383430);
  // The 6-bit values 1, 2, 3, 4: 1 | 2 << 6 | 3 << 12 | 4 << 18 = 0x103081.
  image.assign(4 << 10, std::byte{0});
  for (unsigned r = 0; r < 128; ++r) {
    const uint32_t packed = 0x103081;
    std::memcpy(&image[r * 16], &packed, 3);
  }
  d = dump("tcgen05.cp.cta_group::1.128x128b.b8x16.b6x16_p32 [%r1], %rd21;");
  CHECK(d[3 * 8 + 0] == 0x08060402); // in bits 6 to 1
  CHECK(d[3 * 8 + 1] == 0);
}
TEST_CASE_METHOD(Copy, "tcgen05.cp reads through a swizzle") {
  // 128-byte rows, the 16 bytes of chunk j at chunk j ^ r: the first 32 bytes of row 3 are chunks 3 and 2.
  image.resize(16 << 10);
  arguments[0] = uint64_t{1} << 46 | uint64_t{2} << 61 | uint64_t{1024 >> 4} << 32;
  for (uint32_t i = 0; i < image.size() / 4; ++i)
    std::memcpy(&image[i * 4], &i, 4);
  std::vector<uint32_t> d = dump("tcgen05.cp.cta_group::1.128x256b [%r1], %rd21;");
  for (unsigned lane = 0; lane < 128; ++lane)
    for (unsigned c = 0; c < 8; ++c)
      CHECK(d[lane * 8 + c] == lane * 32 + (c / 4 ^ lane % 8) * 4 + c % 4);
}
TEST_CASE_METHOD(Copy, "tcgen05.shift moves 31 of 32 rows one lane on") {
  std::vector<uint32_t> after =
      dump("tcgen05.shift.cta_group::1.down [%r1+2097152];", // lane 32
           "mul.lo.u32 %r40, %r2, 10; tcgen05.st.sync.aligned.32x32b.x8.b32 [%r1], "
           "{%r40,%r40,%r40,%r40,%r40,%r40,%r40,%r40}; tcgen05.wait::st.sync.aligned; "
           "tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;\n");
  for (unsigned lane = 0; lane < 128; ++lane)
    CHECK(after[lane * 8 + 2] == 10 * (lane > 32 && lane < 64 ? lane - 1 : lane));
}
TEST_CASE_METHOD(Copy, "tcgen05.cp outside shared memory is named") {
  arguments[0] |= 0x3fff;
  CHECK(run_body(by_one_thread("tcgen05.cp.cta_group::1.128x256b [%r1], %rd10;")) == CUDA_ERROR_ILLEGAL_ADDRESS);
}
TEST_CASE_METHOD(Copy, "tcgen05.cp: a shape without its multicast is refused when loaded") {
  CHECK(run_body("tcgen05.cp.cta_group::1.64x128b [%r1], %rd10;") == CUDA_ERROR_INVALID_PTX);
  CHECK(log.find(".warpx2") != std::string::npos);
}
