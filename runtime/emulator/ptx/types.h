// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The types and state spaces that PTX names.
#pragma once

#include <cstdint>
#include <string_view>

namespace tegula::emulator::ptx {

// X(name, bits of one value)
#define TEGULA_PTX_TYPES(X)                                                                                            \
  X(none, 0)                                                                                                           \
  X(pred, 1)                                                                                                           \
  X(b8, 8) X(b16, 16) X(b32, 32) X(b64, 64) X(b128, 128) X(u8, 8) X(u16, 16) X(u32, 32) X(u64, 64) X(s8, 8) X(s16, 16) \
      X(s32, 32) X(s64, 64) X(f16, 16) X(f16x2, 32) X(bf16, 16) X(bf16x2, 32) X(f32, 32) X(f32x2, 64) X(f64, 64)       \
          X(tf32, 32) X(e4m3, 8) X(e5m2, 8) X(e4m3x2, 16) X(e5m2x2, 16) X(u16x2, 32) X(s16x2, 32) X(e2m1x2, 8)         \
              X(e2m3x2, 16) X(e3m2x2, 16) X(ue8m0x2, 16) X(b1, 1)

enum class Type : uint8_t {
#define X(name, bits) name,
  TEGULA_PTX_TYPES(X)
#undef X
};

enum class Space : uint8_t { generic, global, shared, shared_cluster, local, param, constant, reg };

/// Bits that one value takes.
[[nodiscard]] unsigned bits_of(Type type);
/// The type that a modifier such as ".u32" names; none if it names none.
[[nodiscard]] Type type_of(std::string_view modifier);
[[nodiscard]] std::string_view name_of(Type type);
[[nodiscard]] inline bool is_signed(Type t) {
  return t == Type::s8 || t == Type::s16 || t == Type::s32 || t == Type::s64;
}
[[nodiscard]] inline bool is_float(Type t) {
  return t == Type::f16 || t == Type::bf16 || t == Type::f32 || t == Type::f64 || t == Type::f16x2 ||
         t == Type::bf16x2 || t == Type::f32x2;
}

} // namespace tegula::emulator::ptx
