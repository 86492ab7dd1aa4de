// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A scalar argument: a number that a kernel takes by name and in its own type.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>

#include "runtime/types/dtype.h"

namespace tegula {

/// A number of the host, as bits of `dtype` (in the low bytes).
struct Scalar {
  DType dtype = DType::s64;
  uint64_t bits = 0;

  Scalar() = default;
  Scalar(float value) : dtype(DType::f32), bits(std::bit_cast<uint32_t>(value)) {}
  Scalar(double value) : dtype(DType::f64), bits(std::bit_cast<uint64_t>(value)) {}
  Scalar(bool value) : dtype(DType::i1), bits(value) {}
  Scalar(int32_t value) : dtype(DType::s64), bits(static_cast<uint64_t>(int64_t{value})) {}
  Scalar(int64_t value) : dtype(DType::s64), bits(static_cast<uint64_t>(value)) {}
  Scalar(uint32_t value) : dtype(DType::u64), bits(value) {}
  Scalar(uint64_t value) : dtype(DType::u64), bits(value) {}
};

/// The number as the kernel's type: floats are rounded to nearest, even on ties; integers must fit, and become floats
/// where the float holds them exactly. Nothing when that can't be done without changing the number's meaning (a float
/// for an integer, an integer out of range, a float for a bool).
[[nodiscard]] std::optional<uint64_t> convert(const Scalar &value, DType to);

/// The bits of fp16 and bf16 nearest to a number.
[[nodiscard]] uint16_t to_fp16_bits(double value);
[[nodiscard]] uint16_t to_bf16_bits(double value);

} // namespace tegula
