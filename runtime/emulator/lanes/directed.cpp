// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// f32 and f64 arithmetic with directed rounding: the machine's own rounding mode, set for one instruction. Compiled
// with -frounding-math.
#include "runtime/emulator/lanes/real.h"

#include <cfenv>

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
template <class T, bool Z> T rcp(T a) { return fz<Z>(canonical(T(1) / fz<Z>(a))); }
template <bool Z> f32 sqrt32(f32 a) { return fz<Z>(canonical(__builtin_sqrtf(fz<Z>(a)))); }
f64 sqrt64(f64 a) { return __builtin_sqrt(a); }

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

template <Handler Run, int Mode> void rounded(Exec &x, const Inst &i, u32 mask) {
  fesetround(Mode);
  Run(x, i, mask);
  fesetround(FE_TONEAREST);
}

#define MODE(name, mode, ...)                                                                                          \
  NamedHandler { name, &rounded<&lanes<__VA_ARGS__>, mode> }
#define ALL(op, t, ...)                                                                                                \
  MODE(op ".rz." t, FE_TOWARDZERO, __VA_ARGS__), MODE(op ".rm." t, FE_DOWNWARD, __VA_ARGS__),                          \
      MODE(op ".rp." t, FE_UPWARD, __VA_ARGS__)
#define FTZ_SAT(op, F)                                                                                                 \
  ALL(op, "f32", F<f32, false, false>), ALL(op, "ftz.f32", F<f32, true, false>),                                       \
      ALL(op, "sat.f32", F<f32, false, true>), ALL(op, "ftz.sat.f32", F<f32, true, true>),                             \
      ALL(op, "f64", F<f64, false, false>)
#define FTZ(op, F) ALL(op, "f32", F<f32, false>), ALL(op, "ftz.f32", F<f32, true>), ALL(op, "f64", F<f64, false>)

constexpr NamedHandler kRows[] = {
    FTZ_SAT("add", add),
    FTZ_SAT("sub", sub),
    FTZ_SAT("mul", mul),
    ALL("fma", "f32", fma32<false, false>),
    ALL("fma", "ftz.f32", fma32<true, false>),
    ALL("fma", "sat.f32", fma32<false, true>),
    ALL("fma", "ftz.sat.f32", fma32<true, true>),
    ALL("fma", "f64", fma64),
    ALL("add", "f32x2", pair<add<f32, false, false>>),
    ALL("add", "ftz.f32x2", pair<add<f32, true, false>>),
    ALL("sub", "f32x2", pair<sub<f32, false, false>>),
    ALL("sub", "ftz.f32x2", pair<sub<f32, true, false>>),
    ALL("mul", "f32x2", pair<mul<f32, false, false>>),
    ALL("mul", "ftz.f32x2", pair<mul<f32, true, false>>),
    ALL("fma", "f32x2", pair_fma<false>),
    ALL("fma", "ftz.f32x2", pair_fma<true>),
    FTZ("div", div),
    FTZ("rcp", rcp),
    ALL("sqrt", "f32", sqrt32<false>),
    ALL("sqrt", "ftz.f32", sqrt32<true>),
    ALL("sqrt", "f64", sqrt64),
};

} // namespace

HandlerTable directed_table() { return {kRows, sizeof(kRows) / sizeof(kRows[0])}; }

} // namespace tegula::emulator::TEGULA_LANES
