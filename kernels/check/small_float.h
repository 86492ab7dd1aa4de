// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bf16 and fp16 on the host, by their bits.
#pragma once

#include <bit>
#include <cstdint>

#include "runtime/types/dtype.h"

namespace tegula {

[[nodiscard]] inline float bf16_to_float(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }
[[nodiscard]] float fp16_to_float(uint16_t bits);

/// Rounded to nearest even; NaN stays NaN.
[[nodiscard]] uint16_t float_to_bf16(float value);
[[nodiscard]] uint16_t float_to_fp16(float value);

/// Element `index` of an array of bf16, fp16, f32, f64 or s32.
[[nodiscard]] double read_element(DType dtype, const void *array, int64_t index);
void write_element(DType dtype, void *array, int64_t index, double value);

/// Half the distance from 1 to the next value: the relative error of one rounding.
[[nodiscard]] double unit_roundoff(DType dtype);

} // namespace tegula
