// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// f16 and bf16, one or two to a register: computed wider, rounded once.
#include "runtime/emulator/lanes/real.h"

namespace tegula::emulator::TEGULA_LANES {
namespace {

struct F16 {
  static f32 get(u16 v) { return from_f16(v); }
  static u16 put(f32 v) { return to_f16(v); }
  static u16 put(f64 v) { return to_f16(v); }
  static constexpr u16 kInf = 0x7c00;
  static u16 flush(u16 v) { return (v & 0x7c00) == 0 ? v & 0x8000 : v; }
};
struct Bf16 {
  static f32 get(u16 v) { return from_bf16(v); }
  static u16 put(f32 v) { return to_bf16(v); }
  static u16 put(f64 v) { return to_bf16(v); }
  static constexpr u16 kInf = 0x7f80;
  static u16 flush(u16 v) { return (v & 0x7f80) == 0 ? v & 0x8000 : v; }
};
constexpr u16 kNan = 0x7fff;

template <class H, bool Z> u16 in(u16 v) { return Z ? H::flush(v) : v; }
template <class H, bool Z, bool S> u16 out(f32 v) { return in<H, Z>(H::put(sat<S>(v))); }
template <class H, bool Z, bool S> u16 add(u16 a, u16 b) {
  return out<H, Z, S>(H::get(in<H, Z>(a)) + H::get(in<H, Z>(b)));
}
template <class H, bool Z, bool S> u16 sub(u16 a, u16 b) {
  return out<H, Z, S>(H::get(in<H, Z>(a)) - H::get(in<H, Z>(b)));
}
template <class H, bool Z, bool S> u16 mul(u16 a, u16 b) {
  return out<H, Z, S>(H::get(in<H, Z>(a)) * H::get(in<H, Z>(b)));
}
template <class H, bool Z, bool S> u16 fma(u16 a, u16 b, u16 c) {
  f64 v = fma_odd(H::get(in<H, Z>(a)), H::get(in<H, Z>(b)), H::get(in<H, Z>(c)));
  return in<H, Z>(H::put(sat<S>(v)));
}
template <class H, bool Z> u16 fma_relu(u16 a, u16 b, u16 c) {
  u16 r = fma<H, Z, false>(a, b, c);
  return (r & 0x7fff) > H::kInf ? kNan : r & 0x8000 ? 0 : r;
}
template <class H> bool nan(u16 v) { return (v & 0x7fff) > H::kInf; }
template <class H, bool Max, bool Z, bool Nan> u16 minmax(u16 a, u16 b) {
  a = in<H, Z>(a);
  b = in<H, Z>(b);
  if (nan<H>(a) || nan<H>(b))
    return Nan || (nan<H>(a) && nan<H>(b)) ? kNan : nan<H>(a) ? b : a;
  f32 x = H::get(a), y = H::get(b);
  bool first = Max ? x > y || (x == y && !(a & 0x8000)) : x < y || (x == y && (a & 0x8000));
  return first ? a : b;
}
template <class H, bool Z> u16 abs(u16 a) { return nan<H>(a) ? kNan : in<H, Z>(a) & 0x7fff; }
template <class H, bool Z> u16 neg(u16 a) { return nan<H>(a) ? kNan : in<H, Z>(a) ^ 0x8000; }
template <class H> u16 ex2(u16 a) { return H::put(f32(__builtin_exp2(f64(H::get(a))))); }
template <class H> u16 tanh(u16 a) { return H::put(__builtin_tanhf(H::get(a))); }

template <u16 (*F)(u16)> u32 both1(u32 a) { return u32(F(u16(a))) | u32(F(u16(a >> 16))) << 16; }
template <u16 (*F)(u16, u16)> u32 both(u32 a, u32 b) {
  return u32(F(u16(a), u16(b))) | u32(F(u16(a >> 16), u16(b >> 16))) << 16;
}
template <u16 (*F)(u16, u16, u16)> u32 both3(u32 a, u32 b, u32 c) {
  return u32(F(u16(a), u16(b), u16(c))) | u32(F(u16(a >> 16), u16(b >> 16), u16(c >> 16))) << 16;
}

#define ROWS2(op, mods, H, t, Z, S, F) OP(op mods "." t, F<H, Z, S>), OP(op mods "." t "x2", both<F<H, Z, S>>)
#define ARITH(op, F)                                                                                                   \
  ROWS2(op, "", F16, "f16", false, false, F), ROWS2(op, ".ftz", F16, "f16", true, false, F),                           \
      ROWS2(op, ".sat", F16, "f16", false, true, F), ROWS2(op, ".ftz.sat", F16, "f16", true, true, F),                 \
      ROWS2(op, "", Bf16, "bf16", false, false, F)
#define FMA(mods, H, t, ...) OP("fma" mods "." t, __VA_ARGS__), OP("fma" mods "." t "x2", both3<__VA_ARGS__>)
#define MINMAX1(op, mods, H, t, m, z, n)                                                                               \
  OP(op mods "." t, minmax<H, m, z, n>), OP(op mods "." t "x2", both<minmax<H, m, z, n>>)
#define MINMAX(op, m)                                                                                                  \
  MINMAX1(op, "", F16, "f16", m, false, false), MINMAX1(op, ".ftz", F16, "f16", m, true, false),                       \
      MINMAX1(op, ".NaN", F16, "f16", m, false, true), MINMAX1(op, ".ftz.NaN", F16, "f16", m, true, true),             \
      MINMAX1(op, "", Bf16, "bf16", m, false, false), MINMAX1(op, ".NaN", Bf16, "bf16", m, false, true)
#define ONE(op, t, ...) OP(op "." t, __VA_ARGS__), OP(op "." t "x2", both1<__VA_ARGS__>)

constexpr NamedHandler kRows[] = {
    ARITH("add", add),
    ARITH("sub", sub),
    ARITH("mul", mul),
    FMA("", F16, "f16", fma<F16, false, false>),
    FMA(".ftz", F16, "f16", fma<F16, true, false>),
    FMA(".sat", F16, "f16", fma<F16, false, true>),
    FMA(".ftz.sat", F16, "f16", fma<F16, true, true>),
    FMA(".relu", F16, "f16", fma_relu<F16, false>),
    FMA(".ftz.relu", F16, "f16", fma_relu<F16, true>),
    FMA("", Bf16, "bf16", fma<Bf16, false, false>),
    FMA(".relu", Bf16, "bf16", fma_relu<Bf16, false>),
    MINMAX("min", false),
    MINMAX("max", true),
    ONE("abs", "f16", abs<F16, false>),
    ONE("abs.ftz", "f16", abs<F16, true>),
    ONE("abs", "bf16", abs<Bf16, false>),
    ONE("neg", "f16", neg<F16, false>),
    ONE("neg.ftz", "f16", neg<F16, true>),
    ONE("neg", "bf16", neg<Bf16, false>),
    ONE("ex2", "f16", ex2<F16>),
    ONE("ex2.ftz", "bf16", ex2<Bf16>),
    ONE("tanh", "f16", tanh<F16>),
    ONE("tanh", "bf16", tanh<Bf16>),
};

} // namespace

HandlerTable half_table() { return {kRows, sizeof(kRows) / sizeof(kRows[0])}; }

} // namespace tegula::emulator::TEGULA_LANES
