// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions that are not one value to one value: to and from the scale type ue8m0, and with random bits (.rs).
#include "runtime/emulator/ops/decoders.h"
#include "runtime/emulator/ops/float_format.h"
#include "runtime/emulator/program/decoder.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace tegula::emulator {
namespace {

/// Exponent of |v|, rounded up or down; the sign is dropped. What is below 2^-127 is 0, as it is in the format.
uint32_t to_ue8m0(float v, bool up, bool finite) {
  constexpr uint32_t kNan = 0xff, kHalfOfSmallest = 0x00400000; // 2^-127
  uint32_t bits = std::bit_cast<uint32_t>(v) & 0x7fffffff;
  if (bits > 0x7f800000)
    return kNan;
  uint32_t e = bits >> 23;
  if (up && (bits & 0x7fffff) && bits > kHalfOfSmallest && e < 0xff)
    ++e;
  return e == kNan && finite ? kNan - 1 : e;
}

uint16_t ue8m0_to_bf16(uint32_t code) {
  return static_cast<uint16_t>(code == 0xff ? 0x7fff : code == 0 ? 0x0040 : code << 7);
}

float bf16_value(uint32_t bits) { return std::bit_cast<float>(bits << 16); }

/// flags: 1 up, 2 satfinite. s[1] of two f32; of bf16x2 only s[0].
void pair_to_ue8m0(Exec &x, const Inst &i, uint32_t mask) {
  bool up = i.flags & 1, finite = i.flags & 2, packed = i.mode == 1;
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1))
      continue;
    uint32_t a = x.reg<uint32_t>(i.s[0])[l];
    float hi = packed ? bf16_value(a >> 16) : std::bit_cast<float>(a);
    float lo = packed ? bf16_value(a & 0xffff) : x.reg<float>(i.s[1])[l];
    x.reg<uint16_t>(i.d)[l] = static_cast<uint16_t>(to_ue8m0(hi, up, finite) << 8 | to_ue8m0(lo, up, finite));
  }
}

void pair_from_ue8m0(Exec &x, const Inst &i, uint32_t mask) {
  for (unsigned l = 0; l < kLanes; ++l)
    if (mask >> l & 1) {
      uint32_t a = x.reg<uint16_t>(i.s[0])[l];
      x.reg<uint32_t>(i.d)[l] = uint32_t{ue8m0_to_bf16(a >> 8)} << 16 | ue8m0_to_bf16(a & 0xff);
    }
}

/// Rounds away from zero if the part that is cut off and the random bits together reach a unit.
uint32_t stochastic(float v, uint32_t random, unsigned random_bits, const FloatFormat &f, bool relu, bool finite) {
  if (relu && !(v > 0) && !std::isnan(v))
    v = 0;
  if (!std::isfinite(v) || v == 0)
    return encode(v, f, Round::zero, finite);
  int bias = (1 << (f.exponent_bits - 1)) - 1;
  int unit = std::max(std::ilogb(v), 1 - bias) - f.mantissa_bits;
  double scaled = std::ldexp(std::fabs(double{v}), -unit) + std::ldexp(random, -static_cast<int>(random_bits));
  double rounded = std::copysign(std::ldexp(std::floor(scaled), unit), v);
  return encode(rounded, f, Round::nearest_even, finite);
}

/// mode: 0 f16, 1 bf16; flags: 1 relu, 2 satfinite. The first source goes to the upper half and takes the upper bits.
void stochastic_pair(Exec &x, const Inst &i, uint32_t mask) {
  const FloatFormat &f = i.mode ? kBf16 : kF16;
  unsigned bits = i.mode ? 16 : 13;
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1))
      continue;
    uint32_t random = x.reg<uint32_t>(i.s[2])[l], keep = (1u << bits) - 1;
    uint32_t hi = stochastic(x.reg<float>(i.s[0])[l], random >> 16 & keep, bits, f, i.flags & 1, i.flags & 2);
    uint32_t lo = stochastic(x.reg<float>(i.s[1])[l], random & keep, bits, f, i.flags & 1, i.flags & 2);
    x.reg<uint32_t>(i.d)[l] = hi << 16 | lo;
  }
}

} // namespace

void decode_cvt_ue8m0(Decoder &d) {
  Inst i;
  int round = d.take_any({".rp", ".rz", ".rn"});
  bool finite = d.take(".satfinite");
  Type to = d.take_type(), from = d.take_type();
  if (to == Type::bf16x2 && from == Type::ue8m0x2 && round == 2) {
    i.run = &pair_from_ue8m0;
    i.s[0] = d.use(1, Type::b16);
    i.d = d.def(0, Type::b32);
    return d.emit(i);
  }
  if (to != Type::ue8m0x2 || (from != Type::f32 && from != Type::bf16x2) || (round != 0 && round != 1))
    d.refuse("a conversion between these types is not emulated");
  i.run = &pair_to_ue8m0;
  i.mode = from == Type::bf16x2;
  i.flags = (round == 0 ? 1u : 0u) | (finite ? 2u : 0u);
  i.s[0] = d.use(1, Type::b32);
  if (from == Type::f32)
    i.s[1] = d.use(2, Type::f32);
  i.d = d.def(0, Type::b16);
  d.emit(i);
}

void decode_cvt_stochastic(Decoder &d) {
  (void)d.take(".rs");
  Inst i;
  i.run = &stochastic_pair;
  i.flags = (d.take(".relu") ? 1u : 0u) | (d.take(".satfinite") ? 2u : 0u);
  Type to = d.take_type(), from = d.take_type();
  if ((to != Type::f16x2 && to != Type::bf16x2) || from != Type::f32)
    d.refuse("'.rs' to four small values is not emulated: which random bits go to which is not documented");
  i.mode = to == Type::bf16x2;
  d.expect_operands(4, 4);
  i.s[0] = d.use(1, Type::f32);
  i.s[1] = d.use(2, Type::f32);
  i.s[2] = d.use(3, Type::b32);
  i.d = d.def(0, Type::b32);
  d.emit(i);
}

} // namespace tegula::emulator
