// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element decoding.
#include "runtime/emulator/tensor/elements.h"

#include "runtime/emulator/async/fragments.h"
#include "runtime/emulator/ops/float_format.h"

#include <array>

namespace tegula::emulator {
namespace {

using ptx::Type;
using E = TensorElement;

template <unsigned Bits> std::array<float, 1u << Bits> make_table(const FloatFormat &f) {
  std::array<float, 1u << Bits> t{};
  for (uint32_t i = 0; i < t.size(); ++i)
    t[i] = static_cast<float>(decode(i, f));
  return t;
}
float fp4(unsigned v) {
  static const auto t = make_table<4>(kE2m1);
  return t[v & 15];
}
float fp6(E e, unsigned v) {
  static const auto m3 = make_table<6>(kE2m3), m2 = make_table<6>(kE3m2);
  return (e == E::e2m3 ? m3 : m2)[v & 63];
}

Type wide_type(E e) {
  constexpr Type kTypes[] = {Type::f16, Type::bf16, Type::tf32, Type::u8, Type::s8, Type::e4m3, Type::e5m2};
  return kTypes[static_cast<unsigned>(e)];
}

unsigned byte_at(const std::byte *p, unsigned i) { return std::to_integer<unsigned>(p[i]); }

/// Element i of a dense run of `bits`-wide values, low bits first.
unsigned field(const std::byte *p, unsigned i, unsigned bits) {
  unsigned at = i * bits, v = byte_at(p, at / 8) >> (at % 8);
  if (at % 8 + bits > 8)
    v |= byte_at(p, at / 8 + 1) << (8 - at % 8);
  return v & ((1u << bits) - 1);
}

} // namespace

const char *name_of(E e) {
  constexpr const char *kNames[] = {"f16", "bf16", "tf32", "u8", "s8", "e4m3", "e5m2", "e2m3", "e3m2", "e2m1", "e2m1"};
  return kNames[static_cast<unsigned>(e)];
}

unsigned elements_in_16_bytes(E e) {
  return e == E::f16 || e == E::bf16 ? 8 : e == E::tf32 ? 4 : e == E::e2m1_packed ? 32 : 16;
}

void unpack_shared(const std::byte *from, E e, float *to) {
  unsigned n = elements_in_16_bytes(e);
  if (e == E::e2m1 || e == E::e2m1_packed)
    for (unsigned i = 0; i < n; ++i)
      to[i] = fp4(field(from, i, 4));
  else if (is_narrow(e))
    for (unsigned i = 0; i < n; ++i)
      to[i] = fp6(e, field(from, i, 6));
  else
    widen(from, wide_type(e), n, to, 1);
}

void unpack_tensor(const std::byte *from, E e, float *to) {
  if (!is_narrow(e))
    return unpack_shared(from, e, to);
  for (unsigned i = 0; i < 16; ++i)
    to[i] = e == E::e2m1 ? fp4(byte_at(from, i) >> 2) : fp6(e, byte_at(from, i) >> 1);
}

void expand_narrow(const std::byte *from, unsigned bits, std::byte *to) {
  for (unsigned i = 0; i < 16; ++i)
    to[i] = static_cast<std::byte>(field(from, i, bits) << (bits == 4 ? 2 : 1));
}

} // namespace tegula::emulator
