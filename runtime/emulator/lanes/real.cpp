// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// f32 and f64 arithmetic rounded to nearest, and the approximations, which here are closer than hardware's.
#include "runtime/emulator/lanes/real.h"

namespace tegula::emulator::TEGULA_LANES {
namespace {

template <class T, bool Z, bool S> T add(T a, T b) { return sat<S>(fz<Z>(canonical(fz<Z>(a) + fz<Z>(b)))); }
template <class T, bool Z, bool S> T sub(T a, T b) { return sat<S>(fz<Z>(canonical(fz<Z>(a) - fz<Z>(b)))); }
template <class T, bool Z, bool S> T mul(T a, T b) { return sat<S>(fz<Z>(canonical(fz<Z>(a) * fz<Z>(b)))); }
template <bool Z, bool S> f32 fma32(f32 a, f32 b, f32 c) {
  return sat<S>(fz<Z>(canonical(__builtin_fmaf(fz<Z>(a), fz<Z>(b), fz<Z>(c)))));
}
f64 fma64(f64 a, f64 b, f64 c) { return __builtin_fma(a, b, c); }
template <class T, bool Z> T div(T a, T b) { return fz<Z>(canonical(fz<Z>(a) / fz<Z>(b))); }
// Beyond 2^126 the reciprocal of the divisor is flushed, so the quotient is zero (PTX ISA 9.0, div.approx).
template <bool Z> f32 div_approx(f32 a, f32 b) {
  f32 m = __builtin_fabsf(b);
  return m > 0x1p126f && m <= 0x1.fffffep127f ? canonical(a * __builtin_copysignf(0.0f, b)) : div<f32, Z>(a, b);
}
template <class T, bool Z> T rcp(T a) { return fz<Z>(canonical(T(1) / fz<Z>(a))); }
template <bool Z> f32 sqrt32(f32 a) { return fz<Z>(canonical(__builtin_sqrtf(fz<Z>(a)))); }
f64 sqrt64(f64 a) { return __builtin_sqrt(a); }
template <bool Z> f32 rsqrt32(f32 a) {
  a = fz<Z>(a);
  return canonical(f32(1.0 / __builtin_sqrt(f64(a))));
}
f64 rsqrt64(f64 a) { return 1.0 / __builtin_sqrt(a); }
f64 rcp_ftz64(f64 a) { // the approximation has the upper half only
  f64 r = 1.0 / a;
  return bit_cast<f64>(bit_cast<u64>(r) & 0xffffffff00000000u);
}
f64 rsqrt_ftz64(f64 a) { return bit_cast<f64>(bit_cast<u64>(1.0 / __builtin_sqrt(a)) & 0xffffffff00000000u); }

// 2^x: the fraction by the series of 2^f, f in [-1/2, 1/2], in double; exact to well below half an ulp of f32.
template <bool Z> f32 ex2(f32 x) {
  x = fz<Z>(x);
  f32 c = x < -160.0f ? -160.0f : x > 160.0f ? 160.0f : x;
  c = c == c ? c : 0.0f;
  f64 n = f64(s32(c + (c < 0 ? -0.5f : 0.5f)));
  f64 t = (f64(c) - n) * 0.693147180559945309;
  f64 p =
      1 + t * (1 + t * (1.0 / 2 +
                        t * (1.0 / 6 + t * (1.0 / 24 + t * (1.0 / 120 +
                                                            t * (1.0 / 720 + t * (1.0 / 5040 + t * (1.0 / 40320))))))));
  f64 scale = bit_cast<f64>(u64(s64(n) + 1023) << 52);
  f32 r = f32(p * scale);
  return fz<Z>(x == x ? r : nan32());
}
template <bool Z> f32 lg2(f32 x) { return fz<Z>(canonical(f32(__builtin_log2(f64(fz<Z>(x)))))); }
template <bool Z> f32 sin32(f32 x) { return flush(canonical(__builtin_sinf(x))); } // hardware flushes in both forms
template <bool Z> f32 cos32(f32 x) { return flush(canonical(__builtin_cosf(x))); }
f32 tanh32(f32 x) { return canonical(__builtin_tanhf(x)); }

f32 quiet(f32) { return nan32(); }
f64 quiet(f64 a) { return bit_cast<f64>(bit_cast<u64>(a) | u64(1) << 51); }
template <class T, bool Z, bool Nan> T min(T a, T b) {
  a = fz<Z>(a);
  b = fz<Z>(b);
  if (a != a || b != b)
    return Nan ? quiet(a != a ? a : b) : a != a ? (b != b ? quiet(a) : b) : a;
  return a < b || (a == b && negative(a)) ? a : b;
}
template <class T, bool Z, bool Nan> T max(T a, T b) {
  a = fz<Z>(a);
  b = fz<Z>(b);
  if (a != a || b != b)
    return Nan ? quiet(a != a ? a : b) : a != a ? (b != b ? quiet(a) : b) : a;
  return a > b || (a == b && negative(b)) ? a : b;
}
template <bool Z, bool Nan> f32 min3(f32 a, f32 b, f32 c) { return min<f32, Z, Nan>(min<f32, Z, Nan>(a, b), c); }
template <bool Z, bool Nan> f32 max3(f32 a, f32 b, f32 c) { return max<f32, Z, Nan>(max<f32, Z, Nan>(a, b), c); }
template <bool Max, bool Z, bool Nan> f32 xorsign(f32 a, f32 b) {
  u32 sign = (bit_cast<u32>(a) ^ bit_cast<u32>(b)) & 0x80000000u;
  f32 x = __builtin_fabsf(a), y = __builtin_fabsf(b);
  f32 r = Max ? max<f32, Z, Nan>(x, y) : min<f32, Z, Nan>(x, y);
  return r != r ? r : bit_cast<f32>(bit_cast<u32>(r) | sign);
}
// Hardware adds zero to negate or to drop the sign, so a NaN comes out as the one NaN of f32, or quiet in f64.
template <bool Z> f32 abs32(f32 a) { return canonical(bit_cast<f32>(bit_cast<u32>(fz<Z>(a)) & 0x7fffffffu)); }
template <bool Z> f32 neg32(f32 a) { return canonical(bit_cast<f32>(bit_cast<u32>(fz<Z>(a)) ^ 0x80000000u)); }
bool nan64(u64 a) { return (a & ~(u64(1) << 63)) > u64(0x7ff) << 52; }
u64 abs64(u64 a) { return nan64(a) ? a | u64(1) << 51 : a & ~(u64(1) << 63); }
u64 neg64(u64 a) { return nan64(a) ? a | u64(1) << 51 : a ^ u64(1) << 63; }
u32 copysign32(u32 a, u32 b) { return (b & 0x7fffffffu) | (a & 0x80000000u); }
u64 copysign64(u64 a, u64 b) { return (b & ~(u64(1) << 63)) | (a & u64(1) << 63); }

template <class T, class B, unsigned Mantissa> struct Test {
  static constexpr B kExponent = (B(~B(0)) >> 1) >> Mantissa << Mantissa;
  static B magnitude(T v) { return bit_cast<B>(v) & B(~B(0)) >> 1; }
  static bool finite(T v) { return magnitude(v) < kExponent; }
  static bool infinite(T v) { return magnitude(v) == kExponent; }
  static bool number(T v) { return v == v; }
  static bool notanumber(T v) { return v != v; }
  static bool normal(T v) { return finite(v) && !subnormal(v); } // zero too, as measured on an H200
  static bool subnormal(T v) { return magnitude(v) != 0 && magnitude(v) < B(1) << Mantissa; }
};
using Test32 = Test<f32, u32, 23>;
using Test64 = Test<f64, u64, 52>;

// Two f32 in one 64-bit register.
template <f32 (*F)(f32, f32)> u64 pair(u64 a, u64 b) {
  u32 lo = bit_cast<u32>(F(bit_cast<f32>(u32(a)), bit_cast<f32>(u32(b))));
  u32 hi = bit_cast<u32>(F(bit_cast<f32>(u32(a >> 32)), bit_cast<f32>(u32(b >> 32))));
  return u64(hi) << 32 | lo;
}
template <bool Z> u64 pair_fma(u64 a, u64 b, u64 c) {
  u32 lo = bit_cast<u32>(fma32<Z, false>(bit_cast<f32>(u32(a)), bit_cast<f32>(u32(b)), bit_cast<f32>(u32(c))));
  u32 hi = bit_cast<u32>(
      fma32<Z, false>(bit_cast<f32>(u32(a >> 32)), bit_cast<f32>(u32(b >> 32)), bit_cast<f32>(u32(c >> 32))));
  return u64(hi) << 32 | lo;
}

#define FTZ_SAT(op, F)                                                                                                 \
  OP(op ".f32", F<f32, false, false>), OP(op ".ftz.f32", F<f32, true, false>), OP(op ".sat.f32", F<f32, false, true>), \
      OP(op ".ftz.sat.f32", F<f32, true, true>), OP(op ".f64", F<f64, false, false>)
#define FTZ(op, F) OP(op ".f32", F<false>), OP(op ".ftz.f32", F<true>)
#define MINMAX(op, F)                                                                                                  \
  OP(op ".f32", F<f32, false, false>), OP(op ".ftz.f32", F<f32, true, false>), OP(op ".NaN.f32", F<f32, false, true>), \
      OP(op ".ftz.NaN.f32", F<f32, true, true>), OP(op ".f64", F<f64, false, false>)
#define MINMAX3(op, F)                                                                                                 \
  OP(op ".f32", F<false, false>), OP(op ".ftz.f32", F<true, false>), OP(op ".NaN.f32", F<false, true>),                \
      OP(op ".ftz.NaN.f32", F<true, true>)
#define XORSIGN(op, m)                                                                                                 \
  OP(op ".xorsign.abs.f32", xorsign<m, false, false>), OP(op ".ftz.xorsign.abs.f32", xorsign<m, true, false>),         \
      OP(op ".NaN.xorsign.abs.f32", xorsign<m, false, true>),                                                          \
      OP(op ".ftz.NaN.xorsign.abs.f32", xorsign<m, true, true>)
#define TESTP(kind) OP("testp." #kind ".f32", Test32::kind), OP("testp." #kind ".f64", Test64::kind)

constexpr NamedHandler kRows[] = {
    FTZ_SAT("add", add),
    FTZ_SAT("sub", sub),
    FTZ_SAT("mul", mul),
    OP("fma.f32", fma32<false, false>),
    OP("fma.ftz.f32", fma32<true, false>),
    OP("fma.sat.f32", fma32<false, true>),
    OP("fma.ftz.sat.f32", fma32<true, true>),
    OP("fma.f64", fma64),
    OP("div.f32", div<f32, false>),
    OP("div.ftz.f32", div<f32, true>),
    OP("div.f64", div<f64, false>),
    OP("div.approx.f32", div_approx<false>),
    OP("div.approx.ftz.f32", div_approx<true>),
    OP("rcp.f32", rcp<f32, false>),
    OP("rcp.ftz.f32", rcp<f32, true>),
    OP("rcp.f64", rcp<f64, false>),
    OP("rcp.approx.ftz.f64", rcp_ftz64),
    OP("rsqrt.approx.ftz.f64", rsqrt_ftz64),
    FTZ("sqrt", sqrt32),
    OP("sqrt.f64", sqrt64),
    FTZ("rsqrt", rsqrt32),
    OP("rsqrt.approx.f64", rsqrt64),
    FTZ("ex2", ex2),
    FTZ("lg2", lg2),
    FTZ("sin", sin32),
    FTZ("cos", cos32),
    OP("tanh.f32", tanh32),
    MINMAX("min", min),
    MINMAX("max", max),
    MINMAX3("min3", min3),
    MINMAX3("max3", max3),
    XORSIGN("min", false),
    XORSIGN("max", true),
    FTZ("abs", abs32),
    FTZ("neg", neg32),
    OP("abs.f64", abs64),
    OP("neg.f64", neg64),
    OP("copysign.f32", copysign32),
    OP("copysign.f64", copysign64),
    TESTP(finite),
    TESTP(infinite),
    TESTP(number),
    TESTP(notanumber),
    TESTP(normal),
    TESTP(subnormal),
    OP("add.f32x2", pair<add<f32, false, false>>),
    OP("add.ftz.f32x2", pair<add<f32, true, false>>),
    OP("sub.f32x2", pair<sub<f32, false, false>>),
    OP("sub.ftz.f32x2", pair<sub<f32, true, false>>),
    OP("mul.f32x2", pair<mul<f32, false, false>>),
    OP("mul.ftz.f32x2", pair<mul<f32, true, false>>),
    OP("fma.f32x2", pair_fma<false>),
    OP("fma.ftz.f32x2", pair_fma<true>),
};

} // namespace

HandlerTable real_table() { return {kRows, sizeof(kRows) / sizeof(kRows[0])}; }

} // namespace tegula::emulator::TEGULA_LANES
