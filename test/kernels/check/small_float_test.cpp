// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions of bf16 and fp16, and guarded images.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

#include "kernels/check/guarded_image.h"
#include "kernels/check/small_float.h"

using namespace tegula;

TEST_CASE("every fp16 survives the way through float") {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const float value = fp16_to_float(static_cast<uint16_t>(bits));
    if (std::isnan(value))
      CHECK(std::isnan(fp16_to_float(float_to_fp16(value))));
    else if (float_to_fp16(value) != bits)
      FAIL("fp16 " << bits);
  }
}

TEST_CASE("every bf16 survives the way through float") {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const float value = bf16_to_float(static_cast<uint16_t>(bits));
    if (!std::isnan(value) && float_to_bf16(value) != bits)
      FAIL("bf16 " << bits);
  }
}

TEST_CASE("ties round to even, overflow to infinity") {
  CHECK(float_to_bf16(1 + 0x1p-8f) == 0x3f80);     // half way: down to the even one
  CHECK(float_to_bf16(1 + 0x3p-8f) == 0x3f82);     // half way: up to the even one
  CHECK(float_to_fp16(1 + 0x1p-11f) == 0x3c00);
  CHECK(float_to_fp16(65519.f) == 0x7bff);
  CHECK(float_to_fp16(65520.f) == 0x7c00);
  CHECK(float_to_fp16(0x1p-25f) == 0);             // half of the least subnormal
  CHECK(float_to_bf16(std::numeric_limits<float>::quiet_NaN()) >= 0x7fc0);
}

TEST_CASE("a guarded image notices a byte in the padding and one behind the end") {
  GuardedImage image({.dtype = DType::bf16, .extents = {2, 3, 5}, .strides = {40, 8, 1}});
  image.poison();
  CHECK(image.damage().empty());
  write_element(DType::bf16, image.bytes().data() + image.origin(), 4, 1.0); // the last element of row 0
  CHECK(image.damage().empty());
  auto padding = image.bytes();
  write_element(DType::bf16, image.bytes().data() + image.origin(), 5, 1.0);
  CHECK(image.damage().find("10 bytes from the first element") != std::string::npos);
  image.bytes() = padding;
  image.bytes().back() ^= std::byte{1};
  CHECK_FALSE(image.damage().empty());
}

TEST_CASE("values depend on the seed alone and not on the pitch") {
  const NormalPattern pattern(DType::f32, 7);
  GuardedImage dense({.extents = {1, 4, 9}, .strides = {0, 9, 1}}), padded({.extents = {1, 4, 9}, .strides = {0, 16, 1}});
  dense.fill_values(pattern);
  padded.fill_values(pattern);
  for (int64_t i = 0; i < 4; ++i)
    for (int64_t j = 0; j < 9; ++j)
      CHECK(dense.at(0, i, j) == padded.at(0, i, j));
}
