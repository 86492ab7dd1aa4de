// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element types of tensors and scalars, from the one table in dtype.def.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tegula {

enum class DType : uint8_t {
#define TEGULA_DTYPE(name, bits, kind) name,
#include "runtime/types/dtype.def"
#undef TEGULA_DTYPE
};

enum class DTypeKind : uint8_t { boolean, signed_integer, unsigned_integer, floating };

/// "bf16", "e4m3", ...: what `parse_dtype` reads back.
[[nodiscard]] std::string_view name(DType dtype);

/// The type of that name; also takes the usual other names (f16, fp32, fp64, half, float, double, bfloat16, int8, ...).
[[nodiscard]] std::optional<DType> parse_dtype(std::string_view name);

/// All names in the table's order, separated by ", ": for messages.
[[nodiscard]] std::string_view dtype_names();

/// Bits of one value as it lies in memory: 8 for i1, less than 8 for the packed types.
[[nodiscard]] int bits(DType dtype);

[[nodiscard]] DTypeKind kind(DType dtype);
[[nodiscard]] inline bool is_float(DType dtype) { return kind(dtype) == DTypeKind::floating; }
[[nodiscard]] inline bool is_integer(DType dtype) {
  return kind(dtype) == DTypeKind::signed_integer || kind(dtype) == DTypeKind::unsigned_integer;
}

/// Bytes that `count` elements in a row take, rounded up to a whole byte.
[[nodiscard]] inline int64_t bytes(DType dtype, int64_t count = 1) { return (count * bits(dtype) + 7) / 8; }

} // namespace tegula
