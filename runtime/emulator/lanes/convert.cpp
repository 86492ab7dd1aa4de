// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The conversions that kernels are full of, as loops over lanes. The rest is in ops/convert.cpp, one value at a time.
#include "runtime/emulator/lanes/real.h"

namespace tegula::emulator::TEGULA_LANES {
namespace {

template <class To, class From> To value(From v) { return static_cast<To>(v); }
f32 narrow(f64 v) { return f32(v); } // keeps the top of a NaN's payload
f32 narrow_ftz(f64 v) { return flush(f32(v)); }
template <bool Z> f64 widen(f32 v) { return f64(Z ? flush(canonical(v)) : v); }

enum class To { even, zero, down, up };
template <To R> f32 integral(f32 v) {
  return R == To::even   ? __builtin_rintf(v)
         : R == To::zero ? __builtin_truncf(v)
         : R == To::down ? __builtin_floorf(v)
                         : __builtin_ceilf(v);
}
template <To R> f64 integral(f64 v) {
  return R == To::even   ? __builtin_rint(v)
         : R == To::zero ? __builtin_trunc(v)
         : R == To::down ? __builtin_floor(v)
                         : __builtin_ceil(v);
}
template <class F, bool Z, To R> F to_integral(F v) { return canonical(integral<R>(fz<Z>(v))); }
// Out of range saturates; NaN gives 0, and the lowest value when 64 bits are asked for.
template <class I, class F, bool Z, To R> I to_int(F v) {
  v = integral<R>(fz<Z>(v));
  constexpr bool is_signed = I(-1) < I(0);
  constexpr unsigned width = sizeof(I) * 8 - is_signed;
  constexpr I top = static_cast<I>((u64(1) << (width - 1)) - 1 + (u64(1) << (width - 1)));
  constexpr I bottom = static_cast<I>(is_signed ? ~top : 0);
  const F limit = F(2) * F(u64(1) << (width - 1));
  if (v != v) // as measured on an H200
    return sizeof(I) == 8 || sizeof(F) == 8 ? static_cast<I>(u64(1) << (sizeof(I) * 8 - 1)) : 0;
  if (v >= limit)
    return top;
  if (v < (is_signed ? -limit : F(0)))
    return bottom;
  return static_cast<I>(v);
}
template <bool Relu> f32 relu(f32 v) { return Relu && !(v > 0) && v == v ? 0.0f : v; }
template <bool Relu> u16 half_of(f32 v) { return to_f16(relu<Relu>(v)); }
template <bool Relu> u16 bf16_of(f32 v) { return to_bf16(relu<Relu>(v)); }
template <bool Relu> u32 half2_of(f32 hi, f32 lo) { return u32(half_of<Relu>(hi)) << 16 | half_of<Relu>(lo); }
template <bool Relu> u32 bf162_of(f32 hi, f32 lo) { return u32(bf16_of<Relu>(hi)) << 16 | bf16_of<Relu>(lo); }
f32 f16_to_f32(u16 v) { return canonical(from_f16(v)); }
f32 bf16_to_f32(u16 v) { return from_bf16(v); }
// An infinity comes out of the NaN 0x7f800001, as measured on an H200.
u32 tf32_rna(u32 b) { return (b & 0x7f800000u) == 0x7f800000u ? b & ~0x1fffu : (b + 0x1000) & ~0x1fffu; }
f32 saturate(f32 v) { return sat<true>(v); }

#define FROM_INT(I, n) OP("cvt.rn.f32." n, value<f32, I>), OP("cvt.rn.f64." n, value<f64, I>)
#define TO_INT1(I, n, r, R)                                                                                            \
  OP("cvt." r "." n ".f32", to_int<I, f32, false, R>), OP("cvt." r ".ftz." n ".f32", to_int<I, f32, true, R>),         \
      OP("cvt." r "." n ".f64", to_int<I, f64, false, R>)
#define TO_INT(I, n)                                                                                                   \
  TO_INT1(I, n, "rni", To::even), TO_INT1(I, n, "rzi", To::zero), TO_INT1(I, n, "rmi", To::down),                      \
      TO_INT1(I, n, "rpi", To::up)
#define INTEGRAL(r, R)                                                                                                 \
  OP("cvt." r ".f32.f32", to_integral<f32, false, R>), OP("cvt." r ".ftz.f32.f32", to_integral<f32, true, R>),         \
      OP("cvt." r ".f64.f64", to_integral<f64, false, R>)

constexpr NamedHandler kRows[] = {
    FROM_INT(s32, "s32"),
    FROM_INT(u32, "u32"),
    FROM_INT(s64, "s64"),
    FROM_INT(u64, "u64"),
    FROM_INT(s16, "s16"),
    FROM_INT(u16, "u16"),
    FROM_INT(s8, "s8"),
    FROM_INT(u8, "u8"),
    TO_INT(s32, "s32"),
    TO_INT(u32, "u32"),
    TO_INT(s64, "s64"),
    TO_INT(u64, "u64"),
    INTEGRAL("rni", To::even),
    INTEGRAL("rzi", To::zero),
    INTEGRAL("rmi", To::down),
    INTEGRAL("rpi", To::up),
    OP("cvt.rn.f32.f64", narrow),
    OP("cvt.rn.ftz.f32.f64", narrow_ftz),
    OP("cvt.f64.f32", widen<false>),
    OP("cvt.ftz.f64.f32", widen<true>),
    OP("cvt.sat.f32.f32", saturate),
    OP("cvt.f32.f16", f16_to_f32),
    OP("cvt.ftz.f32.f16", f16_to_f32),
    OP("cvt.f32.bf16", bf16_to_f32),
    OP("cvt.rn.f16.f32", half_of<false>),
    OP("cvt.rn.relu.f16.f32", half_of<true>),
    OP("cvt.rn.bf16.f32", bf16_of<false>),
    OP("cvt.rn.relu.bf16.f32", bf16_of<true>),
    OP("cvt.rn.f16x2.f32", half2_of<false>),
    OP("cvt.rn.relu.f16x2.f32", half2_of<true>),
    OP("cvt.rn.bf16x2.f32", bf162_of<false>),
    OP("cvt.rn.relu.bf16x2.f32", bf162_of<true>),
    OP("cvt.rna.tf32.f32", tf32_rna),
};

} // namespace

HandlerTable convert_table() { return {kRows, sizeof(kRows) / sizeof(kRows[0])}; }

} // namespace tegula::emulator::TEGULA_LANES
