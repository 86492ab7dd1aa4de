// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer arithmetic, a lane at a time. Overflow wraps; what PTX leaves open (division by zero) has a fixed value here.
#include "runtime/emulator/lanes/apply.h"

namespace tegula::emulator::TEGULA_LANES {
namespace {

template <class T> struct Wide;
template <> struct Wide<u16> {
  using type = u32;
};
template <> struct Wide<s16> {
  using type = s32;
};
template <> struct Wide<u32> {
  using type = u64;
};
template <> struct Wide<s32> {
  using type = s64;
};
template <> struct Wide<u64> {
  using type = unsigned __int128;
};
template <> struct Wide<s64> {
  using type = __int128;
};
template <class T> struct Unsigned {
  using type = T;
};
template <> struct Unsigned<s16> {
  using type = u16;
};
template <> struct Unsigned<s32> {
  using type = u32;
};
template <> struct Unsigned<s64> {
  using type = u64;
};
template <class T> using U = typename Unsigned<T>::type;
template <class T> using W = typename Wide<T>::type;

template <class T> T add(T a, T b) { return static_cast<T>(U<T>(a) + U<T>(b)); }
template <class T> T sub(T a, T b) { return static_cast<T>(U<T>(a) - U<T>(b)); }
template <class T> T mul_lo(T a, T b) { return static_cast<T>(u64(U<T>(a)) * u64(U<T>(b))); }
template <class T> T mul_hi(T a, T b) { return static_cast<T>((W<T>(a) * W<T>(b)) >> (sizeof(T) * 8)); }
template <class T> W<T> mul_wide(T a, T b) { return W<T>(a) * W<T>(b); }
template <class T> T mad_lo(T a, T b, T c) { return add<T>(mul_lo<T>(a, b), c); }
template <class T> T mad_hi(T a, T b, T c) { return add<T>(mul_hi<T>(a, b), c); }
template <class T> W<T> mad_wide(T a, T b, W<T> c) { return static_cast<W<T>>(u64(W<T>(a) * W<T>(b)) + u64(c)); }
template <class T> T div(T a, T b) {
  if (b == 0)
    return static_cast<T>(~T(0));
  if (T(-1) < T(0) && b == T(-1))
    return sub<T>(0, a);
  return static_cast<T>(a / b);
}
template <class T> T rem(T a, T b) {
  if (b == 0)
    return a;
  if (T(-1) < T(0) && b == T(-1))
    return 0;
  return static_cast<T>(a % b);
}
template <class T> T min(T a, T b) { return a < b ? a : b; }
template <class T> T max(T a, T b) { return a > b ? a : b; }
template <class T> T abs(T a) { return a < 0 ? sub<T>(0, a) : a; }
template <class T> T neg(T a) { return sub<T>(0, a); }
template <class T> T sad(T a, T b, T c) { return add<T>(c, a > b ? sub<T>(a, b) : sub<T>(b, a)); }
s32 add_sat(s32 a, s32 b) {
  s64 r = s64(a) + b;
  return s32(r > 0x7fffffff ? 0x7fffffff : r < -0x80000000ll ? -0x80000000ll : r);
}
s32 sub_sat(s32 a, s32 b) {
  s64 r = s64(a) - b;
  return s32(r > 0x7fffffff ? 0x7fffffff : r < -0x80000000ll ? -0x80000000ll : r);
}
template <class T> T mul24_lo(T a, T b) { return static_cast<T>((s64(a) << 40 >> 40) * (s64(b) << 40 >> 40)); }
template <> u32 mul24_lo<u32>(u32 a, u32 b) { return u32(u64(a & 0xffffff) * (b & 0xffffff)); }
template <class T> T mul24_hi(T a, T b) { return static_cast<T>(((s64(a) << 40 >> 40) * (s64(b) << 40 >> 40)) >> 16); }
template <> u32 mul24_hi<u32>(u32 a, u32 b) { return u32((u64(a & 0xffffff) * (b & 0xffffff)) >> 16); }

template <class E> inline s32 part(u32 v, unsigned i) { return E(v >> (i * 8 * sizeof(E))); }
template <class A, class B> u32 dp4a(u32 a, u32 b, u32 c) {
  s32 sum = 0;
  for (unsigned i = 0; i < 4; ++i)
    sum += part<A>(a, i) * part<B>(b, i);
  return c + u32(sum);
}
template <class A, class B, unsigned Half> u32 dp2a(u32 a, u32 b, u32 c) {
  return c + u32(part<A>(a, 0)) * u32(part<B>(b, 2 * Half)) + u32(part<A>(a, 1)) * u32(part<B>(b, 2 * Half + 1));
}
// Distances of four bytes at once: each in its byte, or their sum added to c.
template <class E> u32 vabsdiff4(u32 a, u32 b, u32) {
  u32 r = 0;
  for (unsigned i = 0; i < 4; ++i) {
    s32 d = part<E>(a, i) - part<E>(b, i);
    r |= (u32(d < 0 ? -d : d) & 0xff) << (8 * i);
  }
  return r;
}
template <class E> u32 vabsdiff4_add(u32 a, u32 b, u32 c) {
  for (unsigned i = 0; i < 4; ++i) {
    s32 d = part<E>(a, i) - part<E>(b, i);
    c += u32(d < 0 ? -d : d);
  }
  return c;
}
// Two 16-bit values at once.
template <class E, E (*F)(E, E)> u32 both(u32 a, u32 b) {
  return u32(u16(F(E(a), E(b)))) | u32(u16(F(E(a >> 16), E(b >> 16)))) << 16;
}

// add.cc and its kin: the carry is a register of its own, 0 or 1, that the decoder keeps for the function.
enum class Carry { add, sub };
template <class T, Carry Kind, bool In, bool Out> void carry(Exec &x, const Inst &i, u32 mask) {
  const T *a = x.reg<T>(i.s[0]), *b = x.reg<T>(i.s[1]);
  u32 *flag = x.reg<u32>(i.d2);
  T *d = x.reg<T>(i.d);
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(mask & kBit[l]))
      continue;
    using X = unsigned __int128;
    X in = In ? flag[l] : 0;
    X r = Kind == Carry::add ? X(a[l]) + X(b[l]) + in : X(a[l]) - X(b[l]) - in;
    d[l] = T(r);
    if (Out)
      flag[l] = u32(r >> (sizeof(T) * 8)) & 1;
  }
}

#define EACH(T, n)                                                                                                     \
  OP("add." n, add<T>), OP("sub." n, sub<T>), OP("mul.lo." n, mul_lo<T>), OP("mul.hi." n, mul_hi<T>),                  \
      OP("mad.lo." n, mad_lo<T>), OP("mad.hi." n, mad_hi<T>), OP("div." n, div<T>), OP("rem." n, rem<T>),              \
      OP("min." n, min<T>), OP("max." n, max<T>), OP("sad." n, sad<T>)
#define WIDE(T, n) OP("mul.wide." n, mul_wide<T>), OP("mad.wide." n, mad_wide<T>)
#define CARRY(T, n)                                                                                                    \
  NamedHandler{"add.cc." n, &carry<T, Carry::add, false, true>}, {"addc." n, &carry<T, Carry::add, true, false>},      \
      {"addc.cc." n, &carry<T, Carry::add, true, true>}, {"sub.cc." n, &carry<T, Carry::sub, false, true>},            \
      {"subc." n, &carry<T, Carry::sub, true, false>}, {                                                               \
    "subc.cc." n, &carry<T, Carry::sub, true, true>                                                                    \
  }

constexpr NamedHandler kRows[] = {
    EACH(u16, "u16"),
    EACH(s16, "s16"),
    EACH(u32, "u32"),
    EACH(s32, "s32"),
    EACH(u64, "u64"),
    EACH(s64, "s64"),
    WIDE(u16, "u16"),
    WIDE(s16, "s16"),
    WIDE(u32, "u32"),
    WIDE(s32, "s32"),
    CARRY(u32, "u32"),
    CARRY(u64, "u64"),
    OP("abs.s16", abs<s16>),
    OP("abs.s32", abs<s32>),
    OP("abs.s64", abs<s64>),
    OP("neg.s16", neg<s16>),
    OP("neg.s32", neg<s32>),
    OP("neg.s64", neg<s64>),
    OP("add.sat.s32", add_sat),
    OP("sub.sat.s32", sub_sat),
    OP("mul24.lo.u32", mul24_lo<u32>),
    OP("mul24.lo.s32", mul24_lo<s32>),
    OP("mul24.hi.u32", mul24_hi<u32>),
    OP("mul24.hi.s32", mul24_hi<s32>),
    OP("vabsdiff4.u32", vabsdiff4<u8>),
    OP("vabsdiff4.s32", vabsdiff4<s8>),
    OP("vabsdiff4.add.u32", vabsdiff4_add<u8>),
    OP("vabsdiff4.add.s32", vabsdiff4_add<s8>),
    OP("dp4a.u32.u32", dp4a<u8, u8>),
    OP("dp4a.u32.s32", dp4a<u8, s8>),
    OP("dp4a.s32.u32", dp4a<s8, u8>),
    OP("dp4a.s32.s32", dp4a<s8, s8>),
    OP("dp2a.lo.u32.u32", dp2a<u16, u8, 0>),
    OP("dp2a.lo.u32.s32", dp2a<u16, s8, 0>),
    OP("dp2a.lo.s32.u32", dp2a<s16, u8, 0>),
    OP("dp2a.lo.s32.s32", dp2a<s16, s8, 0>),
    OP("dp2a.hi.u32.u32", dp2a<u16, u8, 1>),
    OP("dp2a.hi.u32.s32", dp2a<u16, s8, 1>),
    OP("dp2a.hi.s32.u32", dp2a<s16, u8, 1>),
    OP("dp2a.hi.s32.s32", dp2a<s16, s8, 1>),
    OP("add.u16x2", both<u16, add<u16>>),
    OP("add.s16x2", both<s16, add<s16>>),
    OP("min.u16x2", both<u16, min<u16>>),
    OP("min.s16x2", both<s16, min<s16>>),
    OP("max.u16x2", both<u16, max<u16>>),
    OP("max.s16x2", both<s16, max<s16>>),
};

} // namespace

HandlerTable integer_table() { return {kRows, sizeof(kRows) / sizeof(kRows[0])}; }

} // namespace tegula::emulator::TEGULA_LANES
