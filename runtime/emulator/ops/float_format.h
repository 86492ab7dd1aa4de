// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small floating-point formats, one value at a time: exact decoding to double, encoding with any rounding.
#pragma once

#include <cstdint>

namespace tegula::emulator {

struct FloatFormat {
  int exponent_bits, mantissa_bits;
  bool has_infinity; // else the top exponent holds numbers too
  bool has_nan;      // e4m3 has one NaN pattern a sign; e2m1, e2m3 and e3m2 have none
};
inline constexpr FloatFormat kF16{5, 10, true, true}, kBf16{8, 7, true, true}, kF32{8, 23, true, true},
    kTf32{8, 10, true, true}, kE4m3{4, 3, false, true}, kE5m2{5, 2, true, true}, kE2m1{2, 1, false, false},
    kE2m3{2, 3, false, false}, kE3m2{3, 2, false, false};

enum class Round : uint8_t { nearest_even, zero, down, up, nearest_away };

[[nodiscard]] double decode(uint32_t bits, const FloatFormat &format);
/// \param finite  saturate: what overflows becomes the largest finite value.
[[nodiscard]] uint32_t encode(double value, const FloatFormat &format, Round round, bool finite);

} // namespace tegula::emulator
