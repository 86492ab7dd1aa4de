// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tcgen05.mma and cp with .cta_group::2: which CTA holds which rows of A, B, D, the scale factors and the metadata.
// Emulated; expected values are products in double.
#include "test/runtime/emulator/tensor/matrix.h"
#include "test/runtime/emulator/tensor/tensor_kernel.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace tegula::emulator::test;

namespace {

/// Two CTAs of 128 threads with an image of shared memory each. One thread of the leader runs the body between
/// allocation and dump; `by_all` is run by all threads before. Registers as in TensorKernel, and %r6 the rank.
struct PairKernel {
  std::vector<std::byte> image[2];
  std::array<uint64_t, 8> arguments{};
  unsigned columns = 32;
  std::string by_all;
  std::string log;

  [[nodiscard]] std::string text(const std::string &body) const {
    std::string s =
        ".version 9.0\n.target sm_100a\n.address_size 64\n.extern .shared .align 1024 .b8 smem[];\n"
        ".shared .align 8 .b8 bars[32];\n.visible .entry k(.param .u64 image, .param .u32 chunks, .param .u64 out, "
        ".param .align 8 .b8 args[64])\n{\n.reg .pred %p<20>; .reg .b16 %rs<4>; .reg .b32 %r<100>; .reg .b64 %rd<40>; "
        ".reg .f32 %f<20>;\nmov.u32 %r2, %tid.x; shr.u32 %r3, %r2, 5; mov.u32 %r4, smem; mov.u32 %r5, bars;\n"
        "mov.u32 %r6, %cluster_ctarank; ld.param.u64 %rd1, [image]; ld.param.u32 %r7, [chunks]; ld.param.u64 %rd2, "
        "[out];\n";
    for (unsigned i = 0; i < 8; ++i)
      s += "ld.param.u64 %rd1" + std::to_string(i) + ", [args+" + std::to_string(8 * i) + "];\n";
    s += "mul.lo.u32 %r8, %r7, %r6; mul.wide.u32 %rd3, %r8, 16; add.u64 %rd1, %rd1, %rd3; mov.u32 %r8, %r2;\n"
         "COPY: setp.ge.u32 %p1, %r8, %r7; @%p1 bra COPIED; mul.wide.u32 %rd3, %r8, 16; add.u64 %rd3, %rd3, %rd1;\n"
         "ld.global.v4.b32 {%r10, %r11, %r12, %r13}, [%rd3]; mad.lo.u32 %r14, %r8, 16, %r4;\n"
         "st.shared.v4.b32 [%r14], {%r10, %r11, %r12, %r13}; add.u32 %r8, %r8, 128; bra COPY;\nCOPIED:\n"
         "fence.proxy.async.shared::cta; setp.eq.u32 %p1, %r2, 0; @%p1 mbarrier.init.shared::cta.b64 [%r5], 1;\n"
         "@%p1 fence.mbarrier_init.release.cluster; barrier.cluster.arrive; barrier.cluster.wait;\n"
         "setp.ne.u32 %p1, %r3, 0; @%p1 bra ALLOCATED;\n"
         "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%r5+8], 512;\nALLOCATED:\n"
         "tcgen05.fence::before_thread_sync; barrier.cluster.arrive; barrier.cluster.wait; "
         "tcgen05.fence::after_thread_sync; ld.shared.b32 %r1, [%r5+8];\n" +
         by_all +
         "\ntcgen05.fence::before_thread_sync; barrier.cluster.arrive; barrier.cluster.wait; "
         "tcgen05.fence::after_thread_sync;\n"
         "shr.u32 %r20, %r4, 4; and.b32 %r20, %r20, 0x3fff; cvt.u64.u32 %rd20, %r20; add.u64 %rd21, %rd10, %rd20; "
         "add.u64 %rd22, %rd11, %rd20; cvt.u32.u64 %r21, %rd12; add.u64 %rd23, %rd13, %rd20; add.u64 %rd24, %rd14, "
         "%rd20;\n"
         "or.b32 %r22, %r2, %r6; setp.ne.u32 %p1, %r22, 0; @%p1 bra ISSUED; mov.b16 %rs1, 3;\n" +
         body +
         "\ntcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%r5], %rs1;\n"
         "ISSUED: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r5], 0; @!%p1 bra ISSUED;\n"
         "tcgen05.fence::after_thread_sync; mad.lo.u32 %r8, %r6, 128, %r2; mul.wide.u32 %rd3, %r8, " +
         std::to_string(4 * columns) + "; add.u64 %rd3, %rd3, %rd2;\n";
    for (unsigned c = 0; c < columns; ++c)
      s += "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r8}, [%r1+" + std::to_string(c) +
           "]; tcgen05.wait::ld.sync.aligned; st.global.b32 [%rd3+" + std::to_string(4 * c) + "], %r8;\n";
    return s + "tcgen05.fence::before_thread_sync; barrier.cluster.arrive; barrier.cluster.wait; "
               "tcgen05.fence::after_thread_sync;\nsetp.ne.u32 %p1, %r3, 0; @%p1 bra END; "
               "tcgen05.dealloc.cta_group::2.sync.aligned.b32 %r1, 512;\nEND: ret;\n}\n";
  }

  CUresult run_body(const std::string &body, std::vector<uint32_t> *dump = nullptr) {
    Emulated device(kBlackwell);
    CUresult r = device.load(text(body));
    log = device.log;
    if (r != CUDA_SUCCESS)
      return r;
    size_t bytes = std::max(image[0].size(), image[1].size());
    std::vector<std::byte> both;
    for (auto &i : image) {
      i.resize(bytes);
      both.insert(both.end(), i.begin(), i.end());
    }
    CUdeviceptr from = device.upload(both), to = device.allocate(size_t{256} * columns * 4);
    r = device.run("k", {2}, {128}, static_cast<unsigned>(bytes), Dim{2}, from, static_cast<uint32_t>(bytes / 16), to,
                   arguments);
    if (dump && r == CUDA_SUCCESS)
      *dump = device.download<uint32_t>(to, size_t{256} * columns);
    return r;
  }
};

struct PairCase {
  Format format;
  unsigned m, n, k;
  unsigned extra = 0; // bits of the instruction descriptor
};

/// Rows first.. of a matrix.
Matrix part(const Matrix &m, unsigned first, unsigned rows) {
  Matrix p(m.format, rows, m.k, 0);
  std::copy_n(m.codes.begin() + static_cast<std::ptrdiff_t>(first) * m.k, size_t{rows} * m.k, p.codes.begin());
  return p;
}

struct PairMma : PairKernel {
  /// Each CTA holds half of the rows of A and half of those of B, at the same offsets.
  void place_operands(const PairCase &c, const Matrix &a, const Matrix &b) {
    for (unsigned r = 0; r < 2; ++r) {
      image[r].assign(64 << 10, std::byte{0});
      arguments[0] = place(part(a, r * c.m / 2, c.m / 2), {}, image[r], 0);
      arguments[1] = place(part(b, r * c.n / 2, c.n / 2), {}, image[r], 32 << 10);
    }
    arguments[2] = 1u << 4 | c.format.code << 7 | c.format.code << 10 | c.n / 8 << 17 | c.m / 16 << 24 | c.extra;
  }
  /// Compares D, whose element (m, n) is in dump[index(m, n)].
  template <class Index>
  void compare(const std::vector<uint32_t> &dump, const std::vector<double> &expected, const PairCase &c, Index index) {
    for (unsigned m = 0; m < c.m; ++m)
      for (unsigned n = 0; n < c.n; ++n) {
        float got;
        std::memcpy(&got, &dump[index(m, n)], 4);
        if (double e = expected[size_t{m} * c.n + n]; static_cast<double>(got) != e) {
          CAPTURE(m, n, e, got);
          FAIL("D differs");
        }
      }
  }
  std::vector<uint32_t> dump_of(const std::string &body) {
    std::vector<uint32_t> dump;
    CUresult r = run_body(body, &dump);
    UNSCOPED_INFO(log);
    REQUIRE(r == CUDA_SUCCESS);
    return dump;
  }
};

const std::string kMma = "tcgen05.mma.cta_group::2.kind::f16 [%r1], %rd21, %rd22, %r21, 0;";

} // namespace

TEST_CASE_METHOD(PairMma, "a pair's mma: M of 256, a CTA has half of the rows and all of N") {
  for (unsigned n : {32u, 256u}) {
    PairCase c{kBf16, 256, n, 16};
    Matrix a(c.format, c.m, c.k, 1), b(c.format, c.n, c.k, 2);
    place_operands(c, a, b);
    columns = n;
    compare(dump_of(kMma), product(a, b), c, [&](unsigned m, unsigned col) { return m * columns + col; });
  }
}
TEST_CASE_METHOD(PairMma, "a pair's mma: M of 128, halves of N above each other") {
  PairCase c{kBf16, 128, 64, 16};
  Matrix a(c.format, c.m, c.k, 1), b(c.format, c.n, c.k, 2);
  place_operands(c, a, b);
  columns = 32;
  compare(dump_of(kMma), product(a, b), c,
          [&](unsigned m, unsigned n) { return (m / 64 * 128 + m % 64 + (n >= 32 ? 64 : 0)) * columns + n % 32; });
}
TEST_CASE_METHOD(PairMma, "a pair's mma: A in tensor memory, for M of 128 twice in each CTA") {
  for (unsigned m : {128u, 256u}) {
    PairCase c{kBf16, m, 32, 16};
    Matrix a(c.format, c.m, c.k, 1), b(c.format, c.n, c.k, 2);
    place_operands(c, a, b);
    columns = m == 256 ? 32 : 16;
    // A is copied from shared memory: 16 bytes a lane and copy, K-major with the 128-byte swizzle; 64 rows lie twice.
    for (auto &i : image) {
      std::copy_n(i.begin(), 8 << 10, i.begin() + (16 << 10));
      if (m == 128)
        std::copy_n(i.begin(), 8 << 10, i.begin() + (24 << 10));
      else
        std::copy_n(i.begin() + (8 << 10), 8 << 10, i.begin() + (24 << 10));
    }
    arguments[3] = arguments[0] + (16 << 10 >> 4);
    compare(dump_of("tcgen05.cp.cta_group::2.128x256b [%r1+64], %rd23;\n"
                    "tcgen05.mma.cta_group::2.kind::f16 [%r1], [%r1+64], %rd22, %r21, 0;"),
            product(a, b), c, [&](unsigned row, unsigned n) {
              return m == 256 ? row * columns + n : (row / 64 * 128 + row % 64 + (n >= 16 ? 64 : 0)) * columns + n % 16;
            });
  }
}
TEST_CASE_METHOD(PairMma, "a pair's mma: copies of A in tensor memory that differ are named") {
  PairCase c{kBf16, 128, 32, 16};
  Matrix a(c.format, c.m, c.k, 1), b(c.format, c.n, c.k, 2);
  place_operands(c, a, b);
  arguments[3] = arguments[0]; // rows 64 to 127 are zeros
  columns = 16;
  CHECK(run_body("tcgen05.cp.cta_group::2.128x256b [%r1+64], %rd23;\n"
                 "tcgen05.mma.cta_group::2.kind::f16 [%r1], [%r1+64], %rd22, %r21, 0;") == CUDA_ERROR_LAUNCH_FAILED);
}
TEST_CASE_METHOD(PairMma, "a pair's mma: lanes are disabled in both CTAs") {
  PairCase c{kBf16, 256, 32, 16};
  Matrix a(c.format, c.m, c.k, 1), b(c.format, c.n, c.k, 2);
  place_operands(c, a, b);
  columns = 32;
  std::vector<uint32_t> once = dump_of(kMma);
  std::vector<uint32_t> d =
      dump_of(kMma + "mov.u32 %r30, 0; mov.u32 %r31, 0x80000001;\n"
                     "tcgen05.mma.cta_group::2.kind::f16 [%r1], %rd21, %rd22, %r21, {%r31, %r30, %r30, %r30, %r30, "
                     "%r31, %r30, %r30}, 1;");
  for (unsigned lane = 0; lane < 256; ++lane) {
    bool off = lane == 0 || lane == 31 || lane == 128 + 32 || lane == 128 + 63;
    float before, after;
    std::memcpy(&before, &once[lane * 32 + 9], 4);
    std::memcpy(&after, &d[lane * 32 + 9], 4);
    CHECK(after == (off ? before : 2 * before));
  }
}

TEST_CASE_METHOD(PairMma, "a pair's sparse mma: M of 256 in all lanes, M of 128 in the lower 16 of each 32") {
  for (unsigned m : {256u, 128u}) {
    PairCase c{kBf16, m, 32, 32, 1u << 2};
    Matrix a(c.format, c.m, 16, 1), b(c.format, c.n, 32, 2); // A without its zeros
    place_operands(c, a, b);
    columns = 32;
    // Every chunk of 4 has its elements in places 1 and 3: 1 | 3 << 2 = 0xd.
    by_all = "mov.u32 %r30, 0xdddddddd; tcgen05.st.sync.aligned.32x32b.x1.b32 [%r1+64], {%r30}; "
             "tcgen05.wait::st.sync.aligned;";
    std::vector<double> expected(size_t{m} * 32, 0.0);
    for (unsigned row = 0; row < m; ++row)
      for (unsigned n = 0; n < 32; ++n)
        for (unsigned q = 0; q < 16; ++q)
          expected[size_t{row} * 32 + n] += a.at(row, q) * b.at(n, q / 2 * 4 + (q % 2 ? 3 : 1));
    compare(dump_of("tcgen05.mma.sp.cta_group::2.kind::f16 [%r1], %rd21, %rd22, [%r1+64], %r21, 0;"), expected, c,
            [&](unsigned row, unsigned n) {
              unsigned in = row % 64, lane = m == 256 ? row : row / 64 * 128 + in / 16 * 32 + in % 16;
              return lane * columns + n;
            });
  }
}

TEST_CASE_METHOD(PairMma, "a pair's scaled mma: A's scales by CTA, B's in both, for M of 128 by halves of N") {
  for (unsigned m : {256u, 128u}) {
    PairCase c{kE4m3, m, 64, 32};
    Matrix a(c.format, c.m, c.k, 1), b(c.format, c.n, c.k, 2);
    place_operands(c, a, b);
    arguments[2] = c.n / 8 << 17 | 1u << 23 | c.m / 16 << 24;
    columns = m == 256 ? 64 : 32;
    // Row r of A is scaled by 2^(r % 3), column n of B by 2^(n % 5); a word of tensor memory has it in its byte 0.
    // %r40: row of A that this lane's column c stands for, and so on; columns 128.. for A, 136.. for B.
    by_all = "and.b32 %r40, %r2, 31; shr.u32 %r41, %r3, 1; mul.lo.u32 %r42, %r6, " + std::to_string(m / 2) + ";\n";
    for (unsigned col = 0; col < m / 64; ++col)
      by_all += "add.u32 %r43, %r40, " + std::to_string(32 * col) +
                "; add.u32 %r43, %r43, %r42; rem.u32 %r43, %r43, 3; add.u32 %r43, %r43, 127; "
                "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r1+" +
                std::to_string(128 + col) + "], {%r43};\n";
    for (unsigned col = 0; col < (m == 256 ? 2u : 1u); ++col)
      by_all += "add.u32 %r43, %r40, " + std::to_string(32 * col) + ";" +
                (m == 128 ? " mad.lo.u32 %r43, %r41, 32, %r43;" : "") +
                " rem.u32 %r43, %r43, 5; add.u32 %r43, %r43, 127; tcgen05.st.sync.aligned.32x32b.x1.b32 [%r1+" +
                std::to_string(136 + col) + "], {%r43};\n";
    by_all += "tcgen05.wait::st.sync.aligned;";
    std::vector<double> expected = product(a, b);
    for (unsigned row = 0; row < m; ++row)
      for (unsigned n = 0; n < 64; ++n)
        expected[size_t{row} * 64 + n] *= std::ldexp(1.0, static_cast<int>(row % 3 + n % 5));
    compare(dump_of("tcgen05.mma.cta_group::2.kind::mxf8f6f4.block_scale.block32 [%r1], %rd21, %rd22, %r21, "
                    "[%r1+128], [%r1+136], 0;"),
            expected, c, [&](unsigned row, unsigned n) {
              return m == 256 ? row * columns + n : (row / 64 * 128 + row % 64 + (n >= 32 ? 64 : 0)) * columns + n % 32;
            });
  }
}

TEST_CASE_METHOD(PairMma, "a pair's mma: shapes of one CTA are named") {
  PairCase c{kBf16, 128, 24, 16}; // N in steps of 16
  Matrix a(c.format, c.m, c.k, 1), b(c.format, c.n, c.k, 2);
  place_operands(c, a, b);
  CHECK(run_body(kMma) == CUDA_ERROR_LAUNCH_FAILED);
}
