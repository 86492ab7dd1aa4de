// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalars in the kernel's type.
#include "runtime/launch/scalar.h"

#include <algorithm>
#include <cmath>

namespace tegula {
namespace {

struct HalfFormat {
  int mantissa_bits;
  int bias;
  int max_exponent; // unbiased
};
constexpr HalfFormat kFp16 = {10, 15, 15};
constexpr HalfFormat kBf16 = {7, 127, 127};

// Rounds once, from double: rounding through float first would round twice.
uint16_t to_half_bits(double value, const HalfFormat &format) {
  const auto sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const auto infinity = static_cast<uint16_t>((2 * format.max_exponent + 1) << format.mantissa_bits);
  if (std::isnan(value))
    return 0x7fff;
  if (std::isinf(value))
    return sign | infinity;
  double magnitude = std::fabs(value);
  if (magnitude == 0)
    return sign;
  int exponent = std::max(std::ilogb(magnitude), 1 - format.bias);
  // In units of the last place; nearbyint rounds ties to even in the default mode.
  double units = std::nearbyint(std::ldexp(magnitude, format.mantissa_bits - exponent));
  auto whole = static_cast<uint32_t>(units);
  const uint32_t hidden = 1u << format.mantissa_bits;
  // A carry out of the mantissa steps the exponent by plain addition; subnormals have a biased exponent of 0.
  uint32_t bits =
      whole < hidden ? whole : (static_cast<uint32_t>(exponent + format.bias - 1) << format.mantissa_bits) + whole;
  return static_cast<uint16_t>(sign | std::min<uint32_t>(bits, infinity));
}

std::optional<uint64_t> float_bits(double value, DType to) {
  switch (to) {
  case DType::f64: return std::bit_cast<uint64_t>(value);
  case DType::f32:
  case DType::tf32: return std::bit_cast<uint32_t>(static_cast<float>(value));
  case DType::fp16: return to_fp16_bits(value);
  case DType::bf16: return to_bf16_bits(value);
  default: return std::nullopt;
  }
}

double float_value(const Scalar &value) {
  return value.dtype == DType::f32 ? std::bit_cast<float>(static_cast<uint32_t>(value.bits))
                                   : std::bit_cast<double>(value.bits);
}

bool fits(const Scalar &value, DType to) {
  const bool negative = value.dtype == DType::s64 && static_cast<int64_t>(value.bits) < 0;
  const int width = bits(to);
  if (kind(to) == DTypeKind::unsigned_integer)
    return !negative && (width == 64 || value.bits >> width == 0);
  if (!negative)
    return value.bits >> (width - 1) == 0;
  return width == 64 || static_cast<int64_t>(value.bits) >= -(int64_t{1} << (width - 1));
}

// The digits that a float holds exactly.
int exact_bits(DType dtype) {
  switch (dtype) {
  case DType::f64: return 53;
  case DType::f32:
  case DType::tf32: return 24;
  case DType::fp16: return 11;
  default: return 8;
  }
}

std::optional<uint64_t> from_integer(const Scalar &value, DType to) {
  if (is_integer(to)) {
    if (!fits(value, to))
      return std::nullopt;
    return bits(to) == 64 ? value.bits : value.bits & ((uint64_t{1} << bits(to)) - 1);
  }
  if (!is_float(to))
    return std::nullopt;
  const bool negative = value.dtype == DType::s64 && static_cast<int64_t>(value.bits) < 0;
  const uint64_t magnitude = negative ? ~value.bits + 1 : value.bits;
  if (magnitude >> exact_bits(to) != 0)
    return std::nullopt;
  return float_bits(negative ? -static_cast<double>(magnitude) : static_cast<double>(magnitude), to);
}

} // namespace

uint16_t to_fp16_bits(double value) { return to_half_bits(value, kFp16); }
uint16_t to_bf16_bits(double value) { return to_half_bits(value, kBf16); }

std::optional<uint64_t> convert(const Scalar &value, DType to) {
  if (value.dtype == to)
    return value.bits;
  if (value.dtype == DType::f32 || value.dtype == DType::f64)
    return is_float(to) ? float_bits(float_value(value), to) : std::nullopt;
  if (value.dtype == DType::i1)
    return is_integer(to) ? std::optional<uint64_t>(value.bits & 1) : std::nullopt;
  if (value.dtype == DType::s64 || value.dtype == DType::u64)
    return from_integer(value, to);
  return std::nullopt;
}

} // namespace tegula
