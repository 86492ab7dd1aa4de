// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gathers and scatters matrix fragments.
#include "runtime/emulator/async/fragments.h"

#include "runtime/emulator/lanes/real.h"
#include "runtime/emulator/ops/float_format.h"

#include <array>
#include <cstring>

namespace tegula::emulator {
namespace {

using ptx::Type;

template <const FloatFormat &F> const float *table8() {
  static const std::array<float, 256> t = [] {
    std::array<float, 256> v{};
    for (uint32_t i = 0; i < 256; ++i)
      v[i] = static_cast<float>(decode(i, F));
    return v;
  }();
  return t.data();
}

float half(const std::byte *at) {
  uint16_t v;
  std::memcpy(&v, at, 2);
  return lanes_base::from_f16(v);
}
float bhalf(const std::byte *at) {
  uint16_t v;
  std::memcpy(&v, at, 2);
  return lanes_base::from_bf16(v);
}
float tf32(const std::byte *at) { // the unit ignores the low 13 bits
  uint32_t v;
  std::memcpy(&v, at, 4);
  return __builtin_bit_cast(float, v & ~0x1fffu);
}

unsigned d_row(unsigned i, unsigned l) { return l / 4 + 8 * (i / 2 % 2); }
unsigned d_column(unsigned i, unsigned l) { return 8 * (i / 4) + 2 * (l % 4) + i % 2; }

} // namespace

unsigned element_bytes(Type t) { return t == Type::tf32 ? 4 : ptx::bits_of(t) / 8; }

float element_value(const std::byte *at, Type t) {
  auto byte = static_cast<uint8_t>(*at);
  switch (t) {
  case Type::f16: return half(at);
  case Type::bf16: return bhalf(at);
  case Type::e4m3: return table8<kE4m3>()[byte];
  case Type::e5m2: return table8<kE5m2>()[byte];
  case Type::u8: return byte;
  case Type::s8: return static_cast<int8_t>(byte);
  default: return tf32(at);
  }
}

void widen(const std::byte *from, Type t, unsigned count, float *to, size_t step) {
  switch (t) {
  case Type::bf16:
    for (unsigned i = 0; i < count; ++i)
      to[i * step] = bhalf(from + 2 * i);
    return;
  case Type::f16:
    for (unsigned i = 0; i < count; ++i)
      to[i * step] = half(from + 2 * i);
    return;
  default:
    for (unsigned i = 0, e = element_bytes(t); i < count; ++i)
      to[i * step] = element_value(from + e * i, t);
  }
}

void read_a_fragment(const Exec &x, const Slot *regs, unsigned count, Type t, float *a, size_t lda) {
  unsigned bytes = element_bytes(t), e = 4 / bytes;
  for (unsigned j = 0; j < count; ++j)
    for (unsigned l = 0; l < kLanes; ++l)
      for (unsigned h = 0; h < e; ++h)
        a[(l / 4 + 8 * (j % 2)) * lda + 4 * e * (j / 2) + e * (l % 4) + h] =
            element_value(x.reg<std::byte>(regs[j]) + l * 4 + h * bytes, t);
}

void read_b_fragment(const Exec &x, const Slot *regs, unsigned count, Type t, float *b, size_t ldb) {
  unsigned bytes = element_bytes(t), e = 4 / bytes;
  for (unsigned j = 0; j < count; ++j)
    for (unsigned l = 0; l < kLanes; ++l)
      for (unsigned h = 0; h < e; ++h)
        b[(4 * e * j + e * (l % 4) + h) * ldb + l / 4] =
            element_value(x.reg<std::byte>(regs[j]) + l * 4 + h * bytes, t);
}

void read_d_fragment(const Exec &x, const Slot *regs, unsigned n, Type t, float *d, size_t ldd) {
  for (unsigned i = 0; i < n / 2; ++i)
    for (unsigned l = 0; l < kLanes; ++l)
      d[d_row(i, l) * ldd + d_column(i, l)] =
          t == Type::f16 ? half(x.reg<std::byte>(regs[i / 2]) + l * 4 + i % 2 * 2) : x.reg<float>(regs[i])[l];
}

void write_d_fragment(const Exec &x, const Slot *regs, unsigned n, Type t, const float *d, size_t ldd) {
  for (unsigned i = 0; i < n / 2; ++i)
    for (unsigned l = 0; l < kLanes; ++l) {
      float v = d[d_row(i, l) * ldd + d_column(i, l)];
      if (t == Type::f16) {
        uint16_t h = lanes_base::to_f16(v);
        std::memcpy(x.reg<std::byte>(regs[i / 2]) + l * 4 + i % 2 * 2, &h, 2);
      } else {
        x.reg<float>(regs[i])[l] = t == Type::f32 ? lanes_base::canonical(v) : v;
      }
    }
}

} // namespace tegula::emulator
