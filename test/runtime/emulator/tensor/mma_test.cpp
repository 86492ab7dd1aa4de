// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tcgen05.mma without block scaling: kinds, shapes, layouts of D, majors and swizzles, A in tensor memory, masks.
// Emulated; expected values are products in double of what the test itself placed.
#include "test/runtime/emulator/tensor/matrix.h"
#include "test/runtime/emulator/tensor/tensor_kernel.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace tegula::emulator::test;

namespace {

struct Case {
  const char *kind;
  Format a, b;
  unsigned m, n, k;
  unsigned d_code = 1; // f32
  Placement place_a{}, place_b{};
  bool weight_stationary = false;
};

uint32_t instruction_descriptor(const Case &c) {
  return c.d_code << 4 | c.a.code << 7 | c.b.code << 10 | static_cast<uint32_t>(c.place_a.mn_major) << 15 |
         static_cast<uint32_t>(c.place_b.mn_major) << 16 | c.n / 8 << 17 | c.m / 16 << 24;
}

/// Lane and column of D(m, n), of the shapes of one CTA.
std::pair<unsigned, unsigned> cell(const Case &c, unsigned m, unsigned n) {
  if (c.m == 128)
    return {m, n};
  if (!c.weight_stationary)
    return {32 * (m / 16) + m % 16, n};
  unsigned part = c.n / (128 / c.m);
  return {m + c.m * (n / part), n % part};
}

double result(const Case &c, uint32_t bits) {
  if (c.d_code == 2)
    return static_cast<int32_t>(bits);
  if (c.d_code == 0)
    return value(kF16, bits & 0xffff);
  float f;
  std::memcpy(&f, &bits, 4);
  return f;
}

struct Mma : TensorKernel {
  /// `steps` K steps, the first of which does not add.
  void check(const Case &c, const std::string &modifiers = "") {
    CAPTURE(c.kind, c.a.name, c.b.name, c.m, c.n, c.place_a.swizzle, c.place_a.mn_major, c.place_b.mn_major);
    Matrix a(c.a, c.m, c.k, 1), b(c.b, c.n, c.k, 2);
    image.assign(64 << 10, std::byte{0});
    arguments[0] = place(a, c.place_a, image, 0);
    arguments[1] = place(b, c.place_b, image, 32 << 10);
    arguments[2] = instruction_descriptor(c);
    columns = c.weight_stationary ? c.n / (128 / c.m) : c.n;
    std::vector<uint32_t> dump;
    std::string ws = c.weight_stationary ? ".ws" : "";
    CUresult r =
        run_body(by_one_thread("shr.u32 %r20, %r4, 4; cvt.u64.u32 %rd20, %r20; add.u64 %rd21, %rd10, %rd20; "
                               "add.u64 %rd22, %rd11, %rd20; cvt.u32.u64 %r21, %rd12;\ntcgen05.mma" +
                               ws + ".cta_group::1.kind::" + c.kind + modifiers + " [%r1], %rd21, %rd22, %r21, 0;"),
                 &dump);
    UNSCOPED_INFO(log);
    REQUIRE(r == CUDA_SUCCESS);
    std::vector<double> expected = product(a, b);
    for (unsigned m = 0; m < c.m; ++m)
      for (unsigned n = 0; n < c.n; ++n) {
        auto [lane, column] = cell(c, m, n);
        double e = expected[size_t{m} * c.n + n], got = result(c, dump[lane * columns + column]);
        // D of f16 has 11 bits.
        double tolerance = c.d_code == 0 ? std::fabs(e) / 1024 + 1e-6 : 0;
        if (!(std::fabs(got - e) <= tolerance)) {
          CAPTURE(m, n, e, got);
          FAIL("D differs");
        }
      }
  }
};

} // namespace

TEST_CASE_METHOD(Mma, "tcgen05.mma: every kind, K-major with the 128-byte swizzle") {
  check({"f16", kBf16, kBf16, 128, 32, 16});
  check({"f16", kF16, kF16, 128, 32, 16});
  check({"f16", kF16, kF16, 128, 32, 16, 0});
  check({"tf32", kTf32, kTf32, 128, 32, 8});
  check({"i8", kS8, kU8, 128, 32, 32, 2});
  check({"i8", kU8, kS8, 128, 48, 32, 2});
  for (const Format &a : {kE4m3, kE5m2, kE2m3, kE3m2, kE2m1})
    for (const Format &b : {kE4m3, kE5m2, kE2m3, kE3m2, kE2m1})
      check({"f8f6f4", a, b, 128, 16, 32});
}

TEST_CASE_METHOD(Mma, "tcgen05.mma: where D lies") {
  check({"f16", kBf16, kBf16, 128, 8, 16});
  check({"f16", kBf16, kBf16, 128, 256, 16});
  check({"f16", kBf16, kBf16, 64, 24, 16});
  for (unsigned m : {128u, 64u, 32u})
    check({"f16", kBf16, kBf16, m, 64, 16, 1, {}, {}, true});
  check({"f16", kBf16, kBf16, 32, 256, 16, 1, {}, {}, true});
}

TEST_CASE_METHOD(Mma, "tcgen05.mma: every swizzle of K-major and MN-major operands") {
  for (unsigned swizzle : {0u, 2u, 4u, 6u})
    for (bool a_mn : {false, true})
      for (bool b_mn : {false, true}) {
        check({"f16", kBf16, kBf16, 128, 64, 16, 1, {swizzle, a_mn}, {swizzle, b_mn}});
        check({"f8f6f4", kE4m3, kE5m2, 128, 64, 32, 1, {swizzle, a_mn}, {swizzle, b_mn}});
      }
  check({"tf32", kTf32, kTf32, 128, 32, 8, 1, {1, true}, {1, true}});
  check({"tf32", kTf32, kTf32, 128, 32, 8, 1, {2, false}, {1, true}});
}

TEST_CASE_METHOD(Mma, "tcgen05.mma: collector hints change nothing") {
  check({"f16", kBf16, kBf16, 128, 32, 16}, ".collector::a::fill");
  check({"f16", kBf16, kBf16, 64, 64, 16, 1, {}, {}, true}, ".collector::b2::lastuse");
}

namespace {
/// A and B are ones of bf16, 128 by 16 and 32 by 16, K-major without swizzle: every element of D is 16.
struct Ones : TensorKernel {
  static constexpr uint64_t kNone = uint64_t{1} << 46;
  Ones() {
    image.assign(8 << 10, std::byte{0});
    for (size_t i = 0; i + 1 < image.size(); i += 2) {
      image[i] = std::byte{0x80};
      image[i + 1] = std::byte{0x3f};
    }
    arguments[0] = kNone | uint64_t{2048 >> 4} << 16 | uint64_t{128 >> 4} << 32;
    arguments[1] = kNone | 4096 >> 4 | uint64_t{512 >> 4} << 16 | uint64_t{128 >> 4} << 32;
    arguments[2] = 0x08000490 | 4u << 17; // bf16, D of f32, 128 by 32
  }
  static std::string with_descriptors(const std::string &instructions) {
    return by_one_thread("shr.u32 %r20, %r4, 4; cvt.u64.u32 %rd20, %r20; add.u64 %rd21, %rd10, %rd20; "
                         "add.u64 %rd22, %rd11, %rd20; cvt.u32.u64 %r21, %rd12; mov.u32 %r30, 0x00ff0001; "
                         "mov.u32 %r31, 0; mov.u32 %r32, 0xffffffff;\n" +
                         instructions);
  }
  std::vector<float> floats(const std::string &instructions) {
    std::vector<uint32_t> dump;
    CUresult r = run_body(with_descriptors(instructions), &dump);
    UNSCOPED_INFO(log);
    REQUIRE(r == CUDA_SUCCESS);
    std::vector<float> v(dump.size());
    std::memcpy(v.data(), dump.data(), dump.size() * 4);
    return v;
  }
};
const std::string kFirst = "tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd21, %rd22, %r21, 0;\n";
} // namespace

TEST_CASE_METHOD(Ones, "tcgen05.mma: enable-input-d adds, and scale-input-d scales what was there") {
  CHECK(floats(kFirst)[5] == 16);
  CHECK(floats(kFirst + "tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd21, %rd22, %r21, 1;")[5] == 32);
  CHECK(floats(kFirst + "tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd21, %rd22, %r21, 1, 3;")[5] == 16 + 16 / 8);
}

TEST_CASE_METHOD(Ones, "tcgen05.mma: two products of M 64 share columns, 16 lanes apart") {
  arguments[2] = 0x04000490 | 4u << 17;
  std::vector<float> d =
      floats(kFirst + "or.b32 %r21, %r21, 0x2000; add.u32 %r22, %r1, 0x100000;\n" // negated, at lane 16
                      "tcgen05.mma.cta_group::1.kind::f16 [%r22], %rd21, %rd22, %r21, 0;");
  for (unsigned lane = 0; lane < 128; ++lane)
    CHECK(d[lane * 32 + 31] == (lane % 32 < 16 ? 16 : -16));
}

TEST_CASE_METHOD(Ones, "tcgen05.mma: negated operands") {
  arguments[2] |= 1u << 13;
  CHECK(floats(kFirst)[0] == -16);
  arguments[2] |= 1u << 14;
  CHECK(floats(kFirst)[0] == 16);
}

TEST_CASE_METHOD(Ones, "tcgen05.mma: disable-output-lane leaves lanes alone") {
  // Lanes 0 and 16 to 23 of the first 32, and all of the last 32, keep the 16 of the first product.
  std::vector<float> d =
      floats(kFirst + "tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd21, %rd22, %r21, {%r30, %r31, %r31, %r32}, 1;");
  for (unsigned lane = 0; lane < 128; ++lane) {
    bool off = lane == 0 || (lane >= 16 && lane < 24) || lane >= 96;
    CHECK(d[lane * 32 + 7] == (off ? 16 : 32));
  }
}

TEST_CASE_METHOD(Ones, "tcgen05.mma.ws: the examples of the zero-column mask") {
  // Non-zero mask, skip span 2 (3 columns of zeros), use span 3 (4 columns of B): PTX ISA 9.0, table 45, examples 2, 3.
  arguments[1] = kNone | 4096 >> 4 | uint64_t{1024 >> 4} << 16 | uint64_t{128 >> 4} << 32;
  columns = 64;
  arguments[2] = 0x08000490 | 8u << 17;
  arguments[3] = uint64_t{1} << 39 | uint64_t{2} << 40 | uint64_t{3} << 48;
  const std::string ws = "tcgen05.mma.ws.cta_group::1.kind::f16 [%r1], %rd21, %rd22, %r21, 0, %rd13;";
  std::vector<float> d = floats(ws);
  for (unsigned n = 0; n < 64; ++n)
    CHECK(d[n] == (n % 7 < 4 ? 16 : 0));
  columns = 32; // M 64: two halves of N, the second in lanes 64..127; first span of the first half is 1
  arguments[2] = 0x04000490 | 8u << 17;
  arguments[3] |= uint64_t{1} << 32;
  d = floats(ws);
  for (unsigned n = 0; n < 32; ++n) {
    CHECK(d[n] == (n % 7 < 3 ? 0 : 16));
    CHECK(d[64 * 32 + n] == (n % 7 < 4 ? 16 : 0));
  }
}

TEST_CASE_METHOD(Ones, "tcgen05.mma: A in tensor memory") {
  // Every thread stores its lane's row of A: 16 bf16 of value lane % 4 + 1 in 8 columns behind D.
  columns = 32;
  std::string store = "and.b32 %r20, %r2, 3; add.u32 %r20, %r20, 1; cvt.rn.f32.u32 %f0, %r20; "
                      "cvt.rn.bf16x2.f32 %r22, %f0, %f0;\n"
                      "tcgen05.st.sync.aligned.32x32b.x8.b32 [%r1+64], {%r22,%r22,%r22,%r22,%r22,%r22,%r22,%r22};\n"
                      "tcgen05.wait::st.sync.aligned; tcgen05.fence::before_thread_sync; bar.sync 0; "
                      "tcgen05.fence::after_thread_sync;\n";
  std::vector<uint32_t> dump;
  CUresult r =
      run_body(store + with_descriptors("tcgen05.mma.cta_group::1.kind::f16 [%r1], [%r1+64], %rd22, %r21, 0;"), &dump);
  UNSCOPED_INFO(log);
  REQUIRE(r == CUDA_SUCCESS);
  for (unsigned lane = 0; lane < 128; ++lane) {
    float d;
    std::memcpy(&d, &dump[lane * 32 + 3], 4);
    CHECK(d == 16.0f * static_cast<float>(lane % 4 + 1));
  }
}

TEST_CASE_METHOD(Ones, "tcgen05.mma: i8 saturates when asked to") {
  // 32 products of 63 * 63 with D of 2^31 - 1: 0x3f bytes are 63.
  image.assign(image.size(), std::byte{0x3f});
  columns = 8;
  auto with_bit3 = [&](unsigned saturate) {
    arguments[2] = saturate << 3 | 2u << 4 | 1u << 7 | 1u << 10 | 1u << 17 | 8u << 24; // s8, D of s32, 128 by 8
    std::vector<uint32_t> dump;
    CUresult r = run_body(
        "mov.u32 %r40, 0x7fffffff; tcgen05.st.sync.aligned.32x32b.x8.b32 [%r1], {%r40,%r40,%r40,%r40,%r40,%r40,%r40,"
        "%r40}; tcgen05.wait::st.sync.aligned; tcgen05.fence::before_thread_sync; bar.sync 0; "
        "tcgen05.fence::after_thread_sync;\n" +
            with_descriptors("tcgen05.mma.cta_group::1.kind::i8 [%r1], %rd21, %rd22, %r21, 1;"),
        &dump);
    UNSCOPED_INFO(log);
    REQUIRE(r == CUDA_SUCCESS);
    return static_cast<int32_t>(dump[0]);
  };
  CHECK(with_bit3(1) == INT32_MAX);
  CHECK(with_bit3(0) == static_cast<int32_t>(0x7fffffffu + 32u * 63 * 63));
}

TEST_CASE_METHOD(Ones, "tcgen05.mma: descriptors that do not fit are named") {
  auto outcome = [&] { return run_body(with_descriptors(kFirst)); };
  CHECK(outcome() == CUDA_SUCCESS);
  uint64_t good = arguments[2], good_a = arguments[0];
  for (uint64_t bad : {(good & ~(uint64_t{31} << 24)) | uint64_t{2} << 24, // M 32 without .ws
                       good & ~(uint64_t{63} << 17),                       // N 0
                       good | uint64_t{2} << 4,                            // D of type 3
                       good | uint64_t{1} << 2}) {                         // sparse
    arguments[2] = bad;
    CHECK(outcome() == CUDA_ERROR_LAUNCH_FAILED);
  }
  arguments[2] = good;
  arguments[0] = good_a & ~(uint64_t{1} << 46); // the form of wgmma's descriptor
  CHECK(outcome() == CUDA_ERROR_LAUNCH_FAILED);
}

TEST_CASE_METHOD(Ones, "tcgen05.mma: adding to what nobody wrote is named") {
  CHECK(run_body(with_descriptors("tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd21, %rd22, %r21, 1;")) ==
        CUDA_ERROR_LAUNCH_FAILED);
}

TEST_CASE_METHOD(Ones, "tcgen05.mma: forms that do not exist are refused when loaded") {
  auto refused = [&](const std::string &i, const std::string &says) {
    CHECK(run_body(with_descriptors(i)) == CUDA_ERROR_INVALID_PTX);
    CHECK(log.find(says) != std::string::npos);
  };
  refused("tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::4X [%r1], %rd21, %rd22, %r21, [%r1], [%r1], "
          "0;",
          "scale blocks");
  refused("tcgen05.mma.cta_group::1.kind::f16.ashift [%r1], [%r1], %rd22, %r21, 0;", ".ashift");
  refused("tcgen05.mma.cta_group::2.kind::f16 [%r1], %rd21, %rd22, %r21, 0;", "one function has one value");
  refused("tcgen05.mma.cta_group::1.kind::i8 [%r1], %rd21, %rd22, %r21, 1, 2;", "scale-input-d");
}
