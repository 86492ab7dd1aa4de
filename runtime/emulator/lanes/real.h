// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of PTX floating point that several files need: canonical NaN, flush to zero, ordering of zeros.
#pragma once

#include "runtime/emulator/lanes/apply.h"

namespace tegula::emulator::TEGULA_LANES {

static inline f32 nan32() { return bit_cast<f32>(u32(0x7fffffff)); }
static inline f64 nan64() { return bit_cast<f64>(u64(0x7ff8000000000000)); }
/// Results of f32 arithmetic carry one NaN only.
static inline f32 canonical(f32 v) { // on the bits: to a compiler one NaN is as good as another
  u32 b = bit_cast<u32>(v);
  return bit_cast<f32>((b & 0x7fffffffu) > 0x7f800000u ? u32(0x7fffffff) : b);
}
static inline f64 canonical(f64 v) { return v; }
/// Subnormals become zero and keep their sign.
static inline f32 flush(f32 v) {
  u32 b = bit_cast<u32>(v);
  return bit_cast<f32>((b & 0x7f800000u) == 0 ? b & 0x80000000u : b);
}
template <bool Ftz> static inline f32 fz(f32 v) { return Ftz ? flush(v) : v; }
template <bool Ftz> static inline f64 fz(f64 v) { return v; }
/// To [0, 1]; NaN gives 0.
template <bool Sat, class T> static inline T sat(T v) {
  if (!Sat)
    return v;
  return v >= T(1) ? T(1) : v > T(0) ? v : T(0);
}
template <class T> static inline bool negative(T v) { return __builtin_signbit(v) != 0; }

/// a·b + c rounded to odd in double: rounding that once more to 11 or 8 bits gives what one rounding would have given.
static inline f64 fma_odd(f64 a, f64 b, f64 c) {
  f64 p = a * b; // exact for halves
  f64 s = p + c;
  f64 t = s - p;
  f64 err = (p - (s - t)) + (c - t);
  u64 bits = bit_cast<u64>(s);
  if (err == err && err != 0 && (bits & 1) == 0)
    bits += (err > 0) == (s > 0) ? 1 : ~u64(0);
  return bit_cast<f64>(bits);
}

static inline f32 from_bf16(u16 v) { return bit_cast<f32>(u32(v) << 16); }
static inline f32 from_f16(u16 v) {
  u32 sign = u32(v & 0x8000) << 16, body = v & 0x7fff;
  u32 normal = (body << 13) + 0x38000000u;
  u32 special = (body << 13) | 0x7f800000u;
  f32 small = f32(s32(body)) * 5.9604644775390625e-8f; // 2^-24
  u32 bits = body >= 0x7c00 ? special : body >= 0x400 ? normal : bit_cast<u32>(small);
  return bit_cast<f32>(bits | sign);
}
/// Nearest even.
static inline u16 to_bf16(f32 v) {
  u32 b = bit_cast<u32>(v);
  if (v != v)
    return 0x7fff;
  return u16((b + 0x7fff + (b >> 16 & 1)) >> 16);
}
static inline u16 to_f16(f32 v) {
  u32 b = bit_cast<u32>(v), sign = b >> 16 & 0x8000, a = b & 0x7fffffffu;
  if (a > 0x7f800000u)
    return 0x7fff;
  if (a >= 0x477ff000u) // rounds to 65536 or more
    return u16(sign | 0x7c00);
  if (a < 0x38800000u) { // a subnormal half: let the adder round at 2^-24
    f32 r = bit_cast<f32>(a) + 0.5f;
    return u16(sign | (bit_cast<u32>(r) - 0x3f000000u));
  }
  u32 r = a - 0x38000000u;
  return u16(sign | ((r + 0xfff + (r >> 13 & 1)) >> 13));
}
static inline u16 to_f16(f64 v) { // through f32 rounded to odd
  f32 f = f32(v);
  u32 b = bit_cast<u32>(f);
  if (f64(f) != v && f == f && (b & 0x7fffffffu) < 0x7f800000u) {
    bool too_big = (f64(f) > v) == (v > 0) && f64(f) != v;
    if (too_big)
      b -= 1;
    b |= 1;
  }
  return to_f16(bit_cast<f32>(b));
}
static inline u16 to_bf16(f64 v) {
  f32 f = f32(v);
  u32 b = bit_cast<u32>(f);
  if (f64(f) != v && f == f && (b & 0x7fffffffu) < 0x7f800000u) {
    if ((f64(f) > v) == (v > 0))
      b -= 1;
    b |= 1;
  }
  return to_bf16(bit_cast<f32>(b));
}

} // namespace tegula::emulator::TEGULA_LANES
