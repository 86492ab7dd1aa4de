// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cvt. What is frequent goes to a lane handler; everything else is converted here, a value at a time, exactly.
#include "runtime/emulator/lanes/registry.h"
#include "runtime/emulator/ops/decoders.h"
#include "runtime/emulator/ops/float_format.h"
#include "runtime/emulator/ops/moves.h"
#include "runtime/emulator/program/decoder.h"

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>

namespace tegula::emulator {
namespace {

struct Conversion {
  Type to, from;
  Round round = Round::nearest_even;
  bool integral = false; // .rni and its kin
  bool ftz = false, sat = false, finite = false, relu = false;
};

bool is_integer(Type t) {
  return t == Type::u8 || t == Type::u16 || t == Type::u32 || t == Type::u64 || ptx::is_signed(t);
}

const FloatFormat *format_of(Type t) {
  switch (t) {
  case Type::f16:
  case Type::f16x2: return &kF16;
  case Type::bf16:
  case Type::bf16x2: return &kBf16;
  case Type::f32: return &kF32;
  case Type::tf32: return &kTf32;
  case Type::e4m3:
  case Type::e4m3x2: return &kE4m3;
  case Type::e5m2:
  case Type::e5m2x2: return &kE5m2;
  case Type::e2m1x2: return &kE2m1;
  case Type::e2m3x2: return &kE2m3;
  case Type::e3m2x2: return &kE3m2;
  default: return nullptr;
  }
}

unsigned bytes_of(Type t) { return ptx::bits_of(t) / 8; }

int64_t sign_extend(uint64_t bits, Type t) {
  unsigned shift = 64 - ptx::bits_of(t);
  return ptx::is_signed(t) ? static_cast<int64_t>(bits << shift) >> shift
                           : static_cast<int64_t>(bits << shift >> shift);
}

double read_float(uint64_t bits, Type t) {
  if (t == Type::f64)
    return std::bit_cast<double>(bits);
  if (t == Type::f32)
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  return decode(static_cast<uint32_t>(bits), *format_of(t));
}

double round_integral(double v, Round r) {
  switch (r) {
  case Round::zero: return std::trunc(v);
  case Round::down: return std::floor(v);
  case Round::up: return std::ceil(v);
  default: return std::nearbyint(v);
  }
}

uint64_t to_integer(double v, const Conversion &c) {
  unsigned bits = ptx::bits_of(c.to);
  if (std::isnan(v)) // as measured on an H200
    return bits == 64 || c.from == Type::f64 ? uint64_t{1} << (bits - 1) : 0;
  v = round_integral(v, c.round);
  double top = std::ldexp(1.0, static_cast<int>(bits) - (ptx::is_signed(c.to) ? 1 : 0));
  if (ptx::is_signed(c.to)) {
    if (v >= top)
      return (uint64_t{1} << (bits - 1)) - 1;
    return static_cast<uint64_t>(v < -top ? static_cast<int64_t>(-top) : static_cast<int64_t>(v));
  }
  return v <= 0 ? 0 : v >= top ? (bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1) : static_cast<uint64_t>(v);
}

uint64_t saturate_integer(uint64_t raw, const Conversion &c) {
  bool negative = ptx::is_signed(c.from) && static_cast<int64_t>(raw) < 0;
  unsigned bits = ptx::bits_of(c.to);
  uint64_t top = ptx::is_signed(c.to) ? (uint64_t{1} << (bits - 1)) - 1
                 : bits == 64         ? ~uint64_t{0}
                                      : (uint64_t{1} << bits) - 1;
  if (!negative)
    return raw > top ? top : raw;
  if (!ptx::is_signed(c.to))
    return 0;
  int64_t bottom = -static_cast<int64_t>(top) - 1;
  return static_cast<uint64_t>(std::max(static_cast<int64_t>(raw), bottom));
}

double flush(double v, Type t) { return t == Type::f32 && std::fabs(v) < 0x1p-126 ? std::copysign(0.0, v) : v; }

uint64_t write_float(double v, const Conversion &c) {
  if (c.integral)
    v = round_integral(v, c.round);
  if (c.sat)
    v = std::isnan(v) ? 0.0 : std::fmin(std::fmax(v, 0.0), 1.0);
  if (c.relu && !(v > 0) && !std::isnan(v))
    v = 0.0;
  if (c.to == Type::f64)
    return std::bit_cast<uint64_t>(v);
  uint32_t bits = encode(v, *format_of(c.to), c.round, c.finite);
  if (c.to == Type::tf32)
    return std::isnan(v) ? 0x7fffe000u : uint64_t{bits} << 13;
  if (c.to == Type::f32)
    return c.ftz ? std::bit_cast<uint32_t>(static_cast<float>(flush(std::bit_cast<float>(bits), Type::f32))) : bits;
  return bits;
}

/// 64-bit integers do not fit a double: the machine converts, in the mode asked for.
uint64_t integer_to_float(uint64_t raw, const Conversion &c) {
  static constexpr int kModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD, FE_TONEAREST};
  if (c.to != Type::f32 && c.to != Type::f64) // halves: 64 bits beyond their range saturate anyway
    return write_float(
        ptx::is_signed(c.from) ? static_cast<double>(static_cast<int64_t>(raw)) : static_cast<double>(raw), c);
  std::fesetround(kModes[static_cast<int>(c.round)]);
  volatile auto s = static_cast<int64_t>(raw);
  volatile uint64_t u = raw;
  uint64_t out;
  if (c.to == Type::f32) {
    volatile float f = ptx::is_signed(c.from) ? static_cast<float>(s) : static_cast<float>(u);
    out = std::bit_cast<uint32_t>(static_cast<float>(f));
  } else {
    volatile double f = ptx::is_signed(c.from) ? static_cast<double>(s) : static_cast<double>(u);
    out = std::bit_cast<uint64_t>(static_cast<double>(f));
  }
  std::fesetround(FE_TONEAREST);
  return out;
}

/// Between f64 and a shorter format a NaN keeps its sign and the top of its payload, and is quiet.
uint64_t convert_nan(uint64_t bits, const Conversion &c) {
  auto fields = [](Type t) { return t == Type::f64 ? FloatFormat{11, 52, true, true} : *format_of(t); };
  FloatFormat from = fields(c.from), to = fields(c.to);
  uint64_t sign = bits >> (from.exponent_bits + from.mantissa_bits) & 1;
  uint64_t payload = bits & ((uint64_t{1} << from.mantissa_bits) - 1);
  int shift = to.mantissa_bits - from.mantissa_bits;
  payload = shift >= 0 ? payload << shift : payload >> -shift;
  return sign << (to.exponent_bits + to.mantissa_bits) | ((uint64_t{1} << to.exponent_bits) - 1) << to.mantissa_bits |
         payload | uint64_t{1} << (to.mantissa_bits - 1);
}

uint64_t convert(uint64_t bits, const Conversion &c) {
  if (is_integer(c.from)) {
    auto raw = static_cast<uint64_t>(sign_extend(bits, c.from));
    if (is_integer(c.to))
      return c.sat ? saturate_integer(raw, c) : raw;
    return integer_to_float(raw, c);
  }
  double v = read_float(bits, c.from);
  if (c.ftz)
    v = flush(v, c.from);
  if (std::isnan(v) && (c.from == Type::f64) != (c.to == Type::f64) && !is_integer(c.to) && !c.sat && !c.relu)
    return convert_nan(bits, c);
  return is_integer(c.to) ? to_integer(v, c) : write_float(v, c);
}

void convert_lanes(Exec &x, const Inst &i, uint32_t mask) {
  const auto &c = *static_cast<const Conversion *>(i.extra);
  unsigned in = bytes_of(c.from), out = bytes_of(c.to);
  const std::byte *a = x.reg<std::byte>(i.s[0]);
  std::byte *d = x.reg<std::byte>(i.d);
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1))
      continue;
    uint64_t bits = 0;
    std::memcpy(&bits, a + l * in, in);
    bits = convert(bits, c);
    std::memcpy(d + l * out, &bits, out);
  }
}

/// Two f32 into a packed pair, the first into the upper half; `d2`-less forms of 4, 6 and 8 bits too.
void convert_pair(Exec &x, const Inst &i, uint32_t mask) {
  const auto &c = *static_cast<const Conversion *>(i.extra);
  unsigned out = bytes_of(c.to), half = ptx::bits_of(c.to) / 2;
  const uint32_t *hi = x.reg<uint32_t>(i.s[0]), *lo = x.reg<uint32_t>(i.s[1]);
  std::byte *d = x.reg<std::byte>(i.d);
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1))
      continue;
    double h = std::bit_cast<float>(hi[l]), w = std::bit_cast<float>(lo[l]);
    uint64_t bits = write_float(h, c) << half | write_float(w, c);
    std::memcpy(d + l * out, &bits, out);
  }
}

/// A packed pair into two halves in one 32-bit register, or the other way round.
void convert_packed(Exec &x, const Inst &i, uint32_t mask) {
  const auto &c = *static_cast<const Conversion *>(i.extra);
  unsigned in = bytes_of(c.from), out = bytes_of(c.to);
  unsigned in_half = ptx::bits_of(c.from) / 2, out_half = ptx::bits_of(c.to) / 2;
  const std::byte *a = x.reg<std::byte>(i.s[0]);
  std::byte *d = x.reg<std::byte>(i.d);
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1))
      continue;
    uint64_t bits = 0, result = 0;
    std::memcpy(&bits, a + l * in, in);
    for (unsigned h = 0; h < 2; ++h) {
      uint64_t part = bits >> (h * in_half) & ((uint64_t{1} << in_half) - 1);
      result |= write_float(decode(static_cast<uint32_t>(part), *format_of(c.from)), c) << (h * out_half);
    }
    std::memcpy(d + l * out, &result, out);
  }
}

bool is_pair(Type t) {
  return t == Type::f16x2 || t == Type::bf16x2 || t == Type::e4m3x2 || t == Type::e5m2x2 || t == Type::e2m1x2 ||
         t == Type::e2m3x2 || t == Type::e3m2x2;
}

/// Takes all modifiers; `key` gets the name that a lane handler would have.
Conversion conversion(Decoder &d, std::string &key) {
  Conversion c{};
  static constexpr const char *kNames[] = {".rn", ".rz", ".rm", ".rp", ".rna", ".rni", ".rzi", ".rmi", ".rpi"};
  int r = d.take_any({".rn", ".rz", ".rm", ".rp", ".rna", ".rni", ".rzi", ".rmi", ".rpi"});
  if (r >= 0) {
    c.integral = r >= 5;
    c.round = static_cast<Round>(r >= 5 ? r - 5 : r);
    key += kNames[r];
  }
  c.finite = d.take(".satfinite");
  c.relu = d.take(".relu");
  c.ftz = d.take(".ftz");
  c.sat = d.take(".sat");
  key += std::string(c.ftz ? ".ftz" : "") + (c.sat ? ".sat" : "") + (c.finite ? ".satfinite" : "") +
         (c.relu ? ".relu" : "");
  c.to = d.take_type();
  c.from = d.take_type();
  key += "." + std::string(ptx::name_of(c.to)) + "." + std::string(ptx::name_of(c.from));
  return c;
}

} // namespace

void decode_cvt(Decoder &d) {
  if (d.take(".pack"))
    d.refuse("cvt.pack is not emulated");
  for (std::string_view m : d.ast().modifiers) {
    if (m == ".rs")
      return decode_cvt_stochastic(d);
    if (m == ".ue8m0x2")
      return decode_cvt_ue8m0(d);
  }
  std::string key = "cvt";
  Conversion c = conversion(d, key);
  bool known = (is_integer(c.to) || format_of(c.to) || c.to == Type::f64) &&
               (is_integer(c.from) || format_of(c.from) || c.from == Type::f64);
  if (!known || c.from == Type::tf32)
    d.refuse("a conversion between these types is not emulated");
  Inst i;
  i.s[0] = d.use(1, c.from);
  if (d.operands() == 3)
    i.s[1] = d.use(2, Type::f32);
  i.run = find_lane(key);
  if (!i.run && is_integer(c.to) && is_integer(c.from) && !c.sat)
    i.run = resize_handler(bytes_of(c.from), bytes_of(c.to), ptx::is_signed(c.from));
  if (!i.run) {
    i.extra = d.keep_extra(c);
    if (is_pair(c.to) && d.operands() == 3 && c.from == Type::f32)
      i.run = &convert_pair;
    else if (is_pair(c.to) && is_pair(c.from))
      i.run = &convert_packed;
    else if (!is_pair(c.to) && !is_pair(c.from))
      i.run = &convert_lanes;
    else
      d.refuse("a conversion between these types is not emulated");
  }
  i.d = d.def(0, c.to);
  d.emit(i);
}

} // namespace tegula::emulator
