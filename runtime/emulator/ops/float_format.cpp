// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decoding and encoding of small floating-point formats.
#include "runtime/emulator/ops/float_format.h"

#include <bit>
#include <cmath>

namespace tegula::emulator {

double decode(uint32_t bits, const FloatFormat &f) {
  int bias = (1 << (f.exponent_bits - 1)) - 1;
  uint32_t mantissa = bits & ((1u << f.mantissa_bits) - 1);
  int exponent = static_cast<int>(bits >> f.mantissa_bits & ((1u << f.exponent_bits) - 1));
  bool negative = bits >> (f.mantissa_bits + f.exponent_bits) & 1;
  int top = (1 << f.exponent_bits) - 1;
  double value;
  if (f.has_infinity && exponent == top)
    value = mantissa ? std::nan("") : HUGE_VAL;
  else if (!f.has_infinity && f.has_nan && exponent == top && mantissa == (1u << f.mantissa_bits) - 1)
    value = std::nan("");
  else if (exponent == 0)
    value = std::ldexp(mantissa, 1 - bias - f.mantissa_bits);
  else
    value = std::ldexp(mantissa + (1u << f.mantissa_bits), exponent - bias - f.mantissa_bits);
  return negative ? -value : value;
}

namespace {

uint32_t largest(const FloatFormat &f) {
  uint32_t all = (1u << (f.exponent_bits + f.mantissa_bits)) - 1;
  if (f.has_infinity)
    return all - (1u << f.mantissa_bits);
  return f.has_nan ? all - 1 : all;
}

} // namespace

uint32_t encode(double value, const FloatFormat &f, Round round, bool finite) {
  bool negative = std::signbit(value);
  uint32_t sign = negative ? 1u << (f.exponent_bits + f.mantissa_bits) : 0;
  uint32_t infinity = ((1u << f.exponent_bits) - 1) << f.mantissa_bits;
  if (std::isnan(value)) {
    if (!f.has_nan) // the small formats turn NaN into their largest value
      return largest(f);
    return (1u << (f.exponent_bits + f.mantissa_bits)) - 1;
  }
  double magnitude = std::fabs(value);
  int bias = (1 << (f.exponent_bits - 1)) - 1;
  uint32_t nan = (1u << (f.exponent_bits + f.mantissa_bits)) - 1;
  if (std::isinf(value))
    return sign | (finite || !f.has_nan ? largest(f) : f.has_infinity ? infinity : nan);
  if (magnitude == 0)
    return sign;
  int exponent = std::max(std::ilogb(magnitude), 1 - bias);
  double scaled = std::ldexp(magnitude, f.mantissa_bits - exponent); // below 2^(mantissa + 1)
  double whole = std::floor(scaled), rest = scaled - whole;
  auto bits = static_cast<uint64_t>(whole);
  bool up = false;
  switch (round) {
  case Round::nearest_even: up = rest > 0.5 || (rest == 0.5 && (bits & 1)); break;
  case Round::nearest_away: up = rest >= 0.5; break;
  case Round::zero: break;
  case Round::down: up = rest > 0 && negative; break;
  case Round::up: up = rest > 0 && !negative; break;
  }
  bits += up;
  // The implicit one carries into the exponent field by itself.
  uint64_t packed = bits + (static_cast<uint64_t>(exponent + bias - 1) << f.mantissa_bits);
  if (packed > largest(f)) {
    bool to_infinity = round == Round::nearest_even || round == Round::nearest_away ||
                       (round == Round::up && !negative) || (round == Round::down && negative);
    if (finite || !to_infinity || !f.has_nan)
      return sign | largest(f);
    return sign | (f.has_infinity ? infinity : nan);
  }
  return sign | static_cast<uint32_t>(packed);
}

} // namespace tegula::emulator
