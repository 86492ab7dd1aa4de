// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions of bf16 and fp16.
#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

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
  CHECK(float_to_bf16(1 + 0x1p-8f) == 0x3f80); // half way: down to the even one
  CHECK(float_to_bf16(1 + 0x3p-8f) == 0x3f82); // half way: up to the even one
  CHECK(float_to_fp16(1 + 0x1p-11f) == 0x3c00);
  CHECK(float_to_fp16(65519.f) == 0x7bff);
  CHECK(float_to_fp16(65520.f) == 0x7c00);
  CHECK(float_to_fp16(0x1p-25f) == 0); // half of the least subnormal
  CHECK(float_to_bf16(std::numeric_limits<float>::quiet_NaN()) >= 0x7fc0);
}
