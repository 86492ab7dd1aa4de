// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tcgen05.mma.sp. Emulated; the metadata is placed as CUTLASS's tensor-memory fragments of E draw it, the expected
// values are products in double of the expanded matrix.
#include "test/runtime/emulator/tensor/matrix.h"
#include "test/runtime/emulator/tensor/tensor_kernel.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace tegula::emulator::test;

namespace {

struct SparseCase {
  const char *kind;
  Format a, b;
  unsigned k; // with the zeros
  unsigned d_code = 1;
  unsigned selector = 0;
  const char *form = "mma.sp";
  unsigned m = 128, n = 64;
  unsigned scales = 0;
};

/// Codes of 4 bits a chunk: two increasing indices; tf32 knows two.
std::vector<unsigned> random_metadata(const SparseCase &c, unsigned chunk) {
  const unsigned kPairs[] = {0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b1110}, kTf[] = {0b0100, 0b1110};
  std::mt19937 random(9);
  std::vector<unsigned> v(size_t{c.m} * (c.k / chunk));
  for (unsigned &x : v)
    x = chunk == 2 ? kTf[random() % 2] : kPairs[random() % 6];
  return v;
}

/// An M of 64 without .ws uses the lower 16 of each 32 lanes.
bool half_lanes(const SparseCase &c) { return c.m == 64 && std::string(c.form) == "mma.sp"; }
/// The lane of row r in copy `copy` of the rows.
unsigned lane_of(const SparseCase &c, unsigned r, unsigned copy) {
  return half_lanes(c) ? r / 16 * 32 + r % 16 : r + copy * c.m;
}
unsigned copies(const SparseCase &c) { return half_lanes(c) ? 1 : 128 / c.m; }

struct SparseMma : TensorKernel {
  bool wrong_code = false;

  unsigned chunk_of(const SparseCase &c) const { return c.a.bits == 32 ? 2 : c.k == 128 ? 8 : 4; }

  CUresult outcome(const SparseCase &c, std::vector<uint32_t> *dump) {
    bool packed = c.k == 128;
    Matrix a(c.a, c.m, c.k / 2, 7), b(c.b, c.n, c.k, 8);
    image.assign(56 << 10, std::byte{0});
    arguments[0] = place(a, {2, false, packed}, image, 0);
    arguments[1] = place(b, {2, false, packed}, image, 16 << 10);
    // Metadata, 16 bytes a lane at 48 K: 4 columns of tensor memory. Scales of 1 behind it.
    std::vector<uint32_t> words(512, 0);
    unsigned chunk = chunk_of(c), chunks = c.k / chunk;
    auto meta = random_metadata(c, chunk);
    if (wrong_code)
      meta[5] = 0b0101;
    for (unsigned r = 0; r < c.m; ++r)
      for (unsigned q = 0; q < chunks; ++q)
        for (unsigned copy = 0; copy < copies(c); ++copy) {
          unsigned code = meta[r * chunks + q], bit = 4 * q, lane = lane_of(c, r, copy), column = c.selector;
          if (chunks == 8) { // 32 bits a row: two halves, 8 lanes apart; rows 8 apart share a word
            lane = lane_of(c, r / 16 * 16, copy) + r % 8 + bit / 16 * 8;
            bit = bit % 16 + r / 8 % 2 * 16;
          }
          words[lane * 4 + column + bit / 32] |= code << (bit % 32);
        }
    std::memcpy(&image[48 << 10], words.data(), 2048);
    std::fill(image.begin() + (52 << 10), image.begin() + (53 << 10), std::byte{127});
    uint64_t rows = uint64_t{1} << 46 | uint64_t{128 >> 4} << 32;
    arguments[3] = rows | (48 << 10) >> 4;
    arguments[4] = rows | (52 << 10) >> 4;
    arguments[2] = c.a.code << 7 | c.b.code << 10 | 1u << 2 | c.n / 8 << 17 | c.m / 16 << 24;
    arguments[2] |= c.scales ? 1u << 23 : c.selector | c.d_code << 4;
    columns = c.n / copies(c);
    std::string scales = c.scales ? " [%r1+80], [%r1+84]," : "";
    return run_body(by_one_thread("shr.u32 %r20, %r4, 4; cvt.u64.u32 %rd20, %r20; add.u64 %rd21, %rd10, %rd20; "
                                  "add.u64 %rd22, %rd11, %rd20; cvt.u32.u64 %r21, %rd12; add.u64 %rd23, %rd13, %rd20; "
                                  "add.u64 %rd24, %rd14, %rd20;\n"
                                  "tcgen05.cp.cta_group::1.128x128b [%r1+64], %rd23;\n"
                                  "tcgen05.cp.cta_group::1.32x128b.warpx4 [%r1+80], %rd24; "
                                  "tcgen05.cp.cta_group::1.32x128b.warpx4 [%r1+84], %rd24;\n"
                                  "tcgen05." +
                                  std::string(c.form) + ".cta_group::1.kind::" + c.kind +
                                  " [%r1], %rd21, %rd22, [%r1+64], %r21," + scales + " 0;"),
                    dump);
  }

  void check(const SparseCase &c) {
    CAPTURE(c.kind, c.a.name, c.form, c.m, c.selector);
    std::vector<uint32_t> dump;
    CUresult r = outcome(c, &dump);
    UNSCOPED_INFO(log);
    REQUIRE(r == CUDA_SUCCESS);
    Matrix a(c.a, c.m, c.k / 2, 7), b(c.b, c.n, c.k, 8);
    unsigned chunk = chunk_of(c), chunks = c.k / chunk, part = c.n / copies(c);
    auto meta = random_metadata(c, chunk);
    for (unsigned m = 0; m < c.m; ++m)
      for (unsigned n = 0; n < c.n; ++n) {
        double e = 0;
        for (unsigned q = 0; q < chunks; ++q) {
          unsigned lo = meta[m * chunks + q] & 3, hi = meta[m * chunks + q] >> 2, at = q * chunk / 2;
          if (chunk == 2) // index of 16 bits: 0 is the first, 2 the second element
            e += a.at(m, at) * b.at(n, q * 2 + lo / 2);
          else if (chunk == 4)
            e += a.at(m, at) * b.at(n, q * 4 + lo) + a.at(m, at + 1) * b.at(n, q * 4 + hi);
          else
            for (unsigned h = 0; h < 2; ++h)
              e += a.at(m, at + h) * b.at(n, q * 8 + 2 * lo + h) + a.at(m, at + 2 + h) * b.at(n, q * 8 + 2 * hi + h);
        }
        uint32_t cell = dump[lane_of(c, m, n / part) * columns + n % part];
        float f;
        std::memcpy(&f, &cell, 4);
        double got = c.d_code == 2 ? static_cast<int32_t>(cell) : f;
        if (got != e) {
          CAPTURE(m, n, e, got);
          FAIL("D differs");
        }
      }
  }
};

} // namespace

TEST_CASE_METHOD(SparseMma, "tcgen05.mma.sp: 2 of 4, in 16 and 8 bits") {
  check({"f16", kBf16, kBf16, 32});
  check({"f16", kF16, kF16, 32, 1, 1});
  check({"f8f6f4", kE4m3, kE5m2, 64});
  check({"f8f6f4", kE2m1, kE3m2, 64});
  check({"i8", kS8, kU8, 64, 2});
}
TEST_CASE_METHOD(SparseMma, "tcgen05.mma.sp: 1 of 2 in tf32") {
  check({"tf32", kTf32, kTf32, 16});
  check({"tf32", kTf32, kTf32, 16, 1, 1});
}
TEST_CASE_METHOD(SparseMma, "tcgen05.mma.sp: with block scales, and pairs of packed fp4") {
  check({"mxf8f6f4.block_scale.block32", kE4m3, kE4m3, 64, 1, 0, "mma.sp", 128, 64, 1});
  check({"mxf4.block_scale.block32", kE2m1Packed, kE2m1Packed, 128, 1, 0, "mma.sp", 128, 64, 2});
}
TEST_CASE_METHOD(SparseMma, "tcgen05.mma.sp: M of 64, its metadata in the lanes of D") {
  check({"f16", kBf16, kBf16, 32, 1, 0, "mma.sp", 64});
  check({"tf32", kTf32, kTf32, 16, 1, 0, "mma.sp", 64});
  check({"f8f6f4", kE4m3, kE4m3, 64, 1, 0, "mma.sp", 64});
}
TEST_CASE_METHOD(SparseMma, "tcgen05.mma.ws.sp: M of 64 and 32 have the metadata in every part of the lanes") {
  for (unsigned m : {128u, 64u, 32u}) {
    check({"f16", kBf16, kBf16, 32, 1, 0, "mma.ws.sp", m});
    check({"f8f6f4", kE4m3, kE4m3, 64, 1, 0, "mma.ws.sp", m});
  }
}
TEST_CASE_METHOD(SparseMma, "tcgen05.mma.sp: metadata whose indices do not increase is named") {
  wrong_code = true;
  CHECK(outcome({"f16", kBf16, kBf16, 32}, nullptr) == CUDA_ERROR_LAUNCH_FAILED);
}
