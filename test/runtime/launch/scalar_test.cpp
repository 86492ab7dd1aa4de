// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalars in the kernel's type. Expected bits are worked out by hand from the formats.
#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "runtime/launch/scalar.h"

namespace tegula {
namespace {

TEST_CASE("scalar: floats round to nearest, ties to even") {
  CHECK(convert(1.0f, DType::fp16) == 0x3c00);
  CHECK(convert(1.0f, DType::bf16) == 0x3f80);
  CHECK(convert(65504.0, DType::fp16) == 0x7bff);
  CHECK(convert(65520.0, DType::fp16) == 0x7c00);              // the tie beyond the largest goes to infinity
  CHECK(convert(std::ldexp(1.0, -24), DType::fp16) == 0x0001); // the smallest subnormal
  CHECK(convert(std::ldexp(1.0, -25), DType::fp16) == 0x0000); // a tie with 0, which is even
  CHECK(convert(std::ldexp(1.0, -14) - std::ldexp(1.0, -26), DType::fp16) == 0x0400); // carries into the exponent
  CHECK(convert(1.0 + std::ldexp(1.0, -8), DType::bf16) == 0x3f80);                   // tie, even is below
  CHECK(convert(1.0 + 3 * std::ldexp(1.0, -8), DType::bf16) == 0x3f82);
  CHECK(convert(-std::numeric_limits<float>::infinity(), DType::bf16) == 0xff80);
  CHECK(convert(-0.0f, DType::fp16) == 0x8000);
  CHECK((*convert(std::nan(""), DType::bf16) & 0x7fff) > 0x7f80);
}

TEST_CASE("scalar: a double rounds once on its way to 16 bits") {
  // Just above the tie between 1 and 1 + 2^-10: through float it would become the tie and round down.
  CHECK(convert(1.0 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40), DType::fp16) == 0x3c01);
}

TEST_CASE("scalar: integers must fit") {
  CHECK(convert(-1, DType::s32) == 0xffffffffu);
  CHECK(convert(255, DType::u8) == 255u);
  CHECK_FALSE(convert(256, DType::u8));
  CHECK_FALSE(convert(-1, DType::u64));
  CHECK(convert(int64_t{-2147483648}, DType::s32) == 0x80000000u);
  CHECK_FALSE(convert(int64_t{2147483648}, DType::s32));
  CHECK_FALSE(convert(uint64_t{1} << 63, DType::s64));
}

TEST_CASE("scalar: an integer becomes a float where the float holds it, a float never an integer") {
  CHECK(convert(2, DType::f32) == 0x40000000u);
  CHECK_FALSE(convert(257, DType::bf16));
  CHECK_FALSE(convert(16777217, DType::f32));
  CHECK_FALSE(convert(2.0f, DType::s32));
  CHECK_FALSE(convert(1.0f, DType::i1));
  CHECK(convert(true, DType::i1) == 1u);
}

} // namespace
} // namespace tegula
