// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions by bits, as neither g++ 12 nor every CPU has the types.
#include "kernels/check/small_float.h"

#include <cmath>
#include <cstring>

namespace tegula {
namespace {

template <typename T> T load(const void *array, int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char *>(array) + index * int64_t{sizeof(T)}, sizeof(T));
  return value;
}

template <typename T> void store(void *array, int64_t index, T value) {
  std::memcpy(static_cast<char *>(array) + index * int64_t{sizeof(T)}, &value, sizeof(T));
}

} // namespace

float fp16_to_float(uint16_t bits) {
  const uint32_t sign = uint32_t{bits & 0x8000u} << 16;
  const uint32_t exponent = bits >> 10 & 31, mantissa = bits & 1023;
  if (exponent == 31)
    return std::bit_cast<float>(sign | 0x7f800000u | mantissa << 13);
  if (exponent != 0)
    return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
  const float magnitude = std::ldexp(static_cast<float>(mantissa), -24);
  return sign ? -magnitude : magnitude;
}

uint16_t float_to_bf16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value))
    return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

uint16_t float_to_fp16(float value) {
  const auto sign = static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16 & 0x8000u);
  const float magnitude = std::fabs(value);
  if (std::isnan(value))
    return sign | 0x7e00;
  if (magnitude >= 65520.f) // half way past the largest, 65504
    return sign | 0x7c00;
  if (magnitude < 0x1p-14f) // subnormal: a multiple of 2^-24
    return sign | static_cast<uint16_t>(std::nearbyint(std::ldexp(magnitude, 24)));
  const uint32_t bits = std::bit_cast<uint32_t>(magnitude);
  return sign | static_cast<uint16_t>((bits - (112u << 23) + 0xfff + (bits >> 13 & 1)) >> 13);
}

double read_element(DType dtype, const void *array, int64_t index) {
  switch (dtype) {
  case DType::bf16: return bf16_to_float(load<uint16_t>(array, index));
  case DType::fp16: return fp16_to_float(load<uint16_t>(array, index));
  case DType::f64: return load<double>(array, index);
  case DType::s32: return load<int32_t>(array, index);
  default: return load<float>(array, index);
  }
}

void write_element(DType dtype, void *array, int64_t index, double value) {
  switch (dtype) {
  case DType::bf16: return store(array, index, float_to_bf16(static_cast<float>(value)));
  case DType::fp16: return store(array, index, float_to_fp16(static_cast<float>(value)));
  case DType::f64: return store(array, index, value);
  case DType::s32: return store(array, index, static_cast<int32_t>(value));
  default: return store(array, index, static_cast<float>(value));
  }
}

double unit_roundoff(DType dtype) {
  switch (dtype) {
  case DType::bf16: return 0x1p-8;
  case DType::fp16: return 0x1p-11;
  case DType::f64: return 0x1p-53;
  default: return 0x1p-24;
  }
}

} // namespace tegula
