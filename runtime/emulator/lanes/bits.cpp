// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bitwise logic, shifts, fields, permutations, selection. Shift amounts clamp at the width, as PTX says.
#include "runtime/emulator/lanes/apply.h"

namespace tegula::emulator::TEGULA_LANES {
namespace {

template <class T> T and_(T a, T b) { return a & b; }
template <class T> T or_(T a, T b) { return a | b; }
template <class T> T xor_(T a, T b) { return a ^ b; }
template <class T> T not_(T a) { return static_cast<T>(~a); }
template <> bool and_<bool>(bool a, bool b) { return a && b; }
template <> bool or_<bool>(bool a, bool b) { return a || b; }
template <> bool xor_<bool>(bool a, bool b) { return a != b; }
template <> bool not_<bool>(bool a) { return !a; }
template <class T> T cnot(T a) { return a == 0; }
template <class T> constexpr u32 width = sizeof(T) * 8;

template <class T> T shl(T a, u32 n) { return n >= width<T> ? T(0) : static_cast<T>(a << (n & (width<T> - 1))); }
template <class T> T shr(T a, u32 n) {
  constexpr bool is_signed = T(-1) < T(0);
  if (n >= width<T>)
    n = is_signed ? width<T> - 1 : width<T>;
  return !is_signed && n == width<T> ? T(0) : static_cast<T>(a >> (n & (width<T> - 1)));
}
u32 funnel_left(u32 lo, u32 hi, u32 n) { return u32((u64(hi) << 32 | lo) << n >> 32); }
u32 funnel_right(u32 lo, u32 hi, u32 n) { return u32((u64(hi) << 32 | lo) >> n); }
u32 shf_l_wrap(u32 a, u32 b, u32 n) { return funnel_left(a, b, n & 31); }
u32 shf_l_clamp(u32 a, u32 b, u32 n) { return n >= 32 ? a : funnel_left(a, b, n); }
u32 shf_r_wrap(u32 a, u32 b, u32 n) { return funnel_right(a, b, n & 31); }
u32 shf_r_clamp(u32 a, u32 b, u32 n) { return n >= 32 ? b : funnel_right(a, b, n); }

template <class T> T bfe(T a, u32 pos, u32 len) {
  pos &= 255;
  len &= 255;
  constexpr bool is_signed = T(-1) < T(0);
  constexpr u32 msb = width<T> - 1;
  using X = __int128;
  bool sign = false;
  if (is_signed && len > 0) {
    u32 at = pos + len - 1;
    sign = (u64(a) >> (at > msb ? msb : at)) & 1;
  }
  T out = 0;
  if (len > 0 && pos <= msb) {
    u32 count = pos + len > width<T> ? width<T> - pos : len;
    u64 mask = count >= 64 ? ~u64(0) : (u64(1) << count) - 1;
    out = static_cast<T>((u64(a) >> pos) & mask);
    if (sign && count < width<T>)
      out = static_cast<T>(u64(out) | (count >= 64 ? 0 : u64(X(-1)) << count));
  } else if (sign) {
    out = static_cast<T>(~T(0));
  }
  return out;
}
template <class T> T bfi(T a, T b, u32 pos, u32 len) {
  pos &= 255;
  len &= 255;
  if (pos >= width<T> || len == 0)
    return b;
  u32 count = pos + len > width<T> ? width<T> - pos : len;
  T mask = static_cast<T>((count >= 64 ? ~u64(0) : (u64(1) << count) - 1) << pos);
  return static_cast<T>((b & ~mask) | ((a << pos) & mask));
}
u32 clz32(u32 a) { return a ? u32(__builtin_clz(a)) : 32; }
u32 clz64(u64 a) { return a ? u32(__builtin_clzll(a)) : 64; }
u32 bfind_u32(u32 a) { return a ? 31 - clz32(a) : ~0u; }
u32 bfind_s32(s32 a) { return bfind_u32(u32(a < 0 ? ~a : a)); }
u32 bfind_u64(u64 a) { return a ? 63 - clz64(a) : ~0u; }
u32 bfind_s64(s64 a) { return bfind_u64(u64(a < 0 ? ~a : a)); }
template <class T, u32 (*F)(T), u32 Top> u32 shiftamt(T a) {
  u32 r = F(a);
  return r == ~0u ? r : Top - r;
}
u32 popc32(u32 a) { return u32(__builtin_popcount(a)); }
u32 popc64(u64 a) { return u32(__builtin_popcountll(a)); }
u32 brev32(u32 a) {
  a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
  a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
  a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(a);
}
u64 brev64(u64 a) { return u64(brev32(u32(a))) << 32 | brev32(u32(a >> 32)); }

u32 pick(u64 bytes, u32 selector) {
  u32 b = u32(bytes >> ((selector & 7) * 8)) & 0xff;
  return (selector & 8) ? (b & 0x80 ? 0xff : 0) : b;
}
u32 prmt(u32 a, u32 b, u32 c) {
  u64 bytes = u64(b) << 32 | a;
  return pick(bytes, c) | pick(bytes, c >> 4) << 8 | pick(bytes, c >> 8) << 16 | pick(bytes, c >> 12) << 24;
}
template <const u8 (&Table)[4][4]> u32 prmt_mode(u32 a, u32 b, u32 c) {
  u64 bytes = u64(b) << 32 | a;
  u32 r = 0;
  for (unsigned i = 0; i < 4; ++i)
    r |= (u32(bytes >> (Table[c & 3][i] * 8)) & 0xff) << (8 * i);
  return r;
}
constexpr u8 kF4e[4][4] = {{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}, {3, 4, 5, 6}};
constexpr u8 kB4e[4][4] = {{0, 7, 6, 5}, {1, 0, 7, 6}, {2, 1, 0, 7}, {3, 2, 1, 0}};
constexpr u8 kRc8[4][4] = {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}};
constexpr u8 kEcl[4][4] = {{0, 1, 2, 3}, {1, 1, 2, 3}, {2, 2, 2, 3}, {3, 3, 3, 3}};
constexpr u8 kEcr[4][4] = {{0, 0, 0, 0}, {0, 1, 1, 1}, {0, 1, 2, 2}, {0, 1, 2, 3}};
constexpr u8 kRc16[4][4] = {{0, 1, 0, 1}, {2, 3, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}};

void lop3(Exec &x, const Inst &i, u32 mask) {
  const u32 *a = x.reg<u32>(i.s[0]), *b = x.reg<u32>(i.s[1]), *c = x.reg<u32>(i.s[2]);
  u32 m[8]; // the truth table, a minterm all ones or all zeros
  for (unsigned t = 0; t < 8; ++t)
    m[t] = i.flags >> t & 1 ? ~0u : 0;
  alignas(64) u32 r[kLanes];
  for (unsigned l = 0; l < kLanes; ++l)
    r[l] = (m[0] & ~a[l] & ~b[l] & ~c[l]) | (m[1] & ~a[l] & ~b[l] & c[l]) | (m[2] & ~a[l] & b[l] & ~c[l]) |
           (m[3] & ~a[l] & b[l] & c[l]) | (m[4] & a[l] & ~b[l] & ~c[l]) | (m[5] & a[l] & ~b[l] & c[l]) |
           (m[6] & a[l] & b[l] & ~c[l]) | (m[7] & a[l] & b[l] & c[l]);
  store(x.reg<u32>(i.d), r, mask);
}
u32 bmsk_clamp(u32 pos, u32 len) {
  if (pos >= 32 || len == 0)
    return 0;
  u32 ones = len >= 32 ? ~0u : (1u << len) - 1;
  return ones << pos;
}
u32 bmsk_wrap(u32 pos, u32 len) { return bmsk_clamp(pos & 31, len & 31); }
template <bool Wrap> u32 szext_u(u32 a, u32 n) {
  n = Wrap ? n & 31 : n;
  return n >= 32 ? a : a & ((1u << n) - 1);
}
template <bool Wrap> s32 szext_s(s32 a, u32 n) {
  n = Wrap ? n & 31 : n;
  return n >= 32 ? a : n == 0 ? 0 : s32(u32(a) << (32 - n)) >> (32 - n);
}
u32 fns(u32 mask, u32 start, s32 offset) {
  s32 left = offset;
  start &= 31;
  if (offset == -0x7fffffff - 1) // as measured on an H200
    return 0;
  if (left == 0)
    return mask >> start & 1 ? start : ~0u;
  for (s32 at = s32(start); at >= 0 && at < 32; at += offset > 0 ? 1 : -1)
    if (mask >> at & 1 && (left += offset > 0 ? -1 : 1) == 0)
      return u32(at);
  return ~0u;
}

template <class T> T selp(T a, T b, bool p) { return p ? a : b; }
template <class T> T slct_s32(T a, T b, s32 c) { return c >= 0 ? a : b; }
template <class T> T slct_f32(T a, T b, f32 c) { return c >= 0 ? a : b; }
template <class T> T move(T a) { return a; }
template <class To, class From> To resize(From a) { return static_cast<To>(a); }

#define LOGIC(T, n) OP("and." n, and_<T>), OP("or." n, or_<T>), OP("xor." n, xor_<T>), OP("not." n, not_<T>)
#define SHIFT(U, S, bits)                                                                                              \
  OP("shl.b" bits, shl<U>), OP("shr.b" bits, shr<U>), OP("shr.u" bits, shr<U>), OP("shr.s" bits, shr<S>),              \
      OP("cnot.b" bits, cnot<U>), OP("selp.b" bits, selp<U>), OP("slct.b" bits ".s32", slct_s32<U>),                   \
      OP("slct.b" bits ".f32", slct_f32<U>)
#define RESIZE(from, F, S)                                                                                             \
  OP("resize." from ".u1", resize<u8, F>), OP("resize." from ".u2", resize<u16, F>),                                   \
      OP("resize." from ".u4", resize<u32, F>), OP("resize." from ".u8", resize<u64, F>),                              \
      OP("resize." from ".s1", resize<u8, S>), OP("resize." from ".s2", resize<u16, S>),                               \
      OP("resize." from ".s4", resize<u32, S>), OP("resize." from ".s8", resize<u64, S>)

constexpr NamedHandler kRows[] = {
    LOGIC(bool, "pred"),
    LOGIC(u16, "b16"),
    LOGIC(u32, "b32"),
    LOGIC(u64, "b64"),
    SHIFT(u16, s16, "16"),
    SHIFT(u32, s32, "32"),
    SHIFT(u64, s64, "64"),
    OP("shf.l.wrap.b32", shf_l_wrap),
    OP("shf.l.clamp.b32", shf_l_clamp),
    OP("shf.r.wrap.b32", shf_r_wrap),
    OP("shf.r.clamp.b32", shf_r_clamp),
    OP("bfe.u32", bfe<u32>),
    OP("bfe.s32", bfe<s32>),
    OP("bfe.u64", bfe<u64>),
    OP("bfe.s64", bfe<s64>),
    OP("bfi.b32", bfi<u32>),
    OP("bfi.b64", bfi<u64>),
    OP("clz.b32", clz32),
    OP("clz.b64", clz64),
    OP("popc.b32", popc32),
    OP("popc.b64", popc64),
    OP("brev.b32", brev32),
    OP("brev.b64", brev64),
    OP("bfind.u32", bfind_u32),
    OP("bfind.s32", bfind_s32),
    OP("bfind.u64", bfind_u64),
    OP("bfind.s64", bfind_s64),
    OP("bfind.shiftamt.u32", shiftamt<u32, bfind_u32, 31>),
    OP("bfind.shiftamt.s32", shiftamt<s32, bfind_s32, 31>),
    OP("bfind.shiftamt.u64", shiftamt<u64, bfind_u64, 63>),
    OP("bfind.shiftamt.s64", shiftamt<s64, bfind_s64, 63>),
    OP("prmt.b32", prmt),
    OP("prmt.b32.f4e", prmt_mode<kF4e>),
    OP("prmt.b32.b4e", prmt_mode<kB4e>),
    OP("prmt.b32.rc8", prmt_mode<kRc8>),
    OP("prmt.b32.ecl", prmt_mode<kEcl>),
    OP("prmt.b32.ecr", prmt_mode<kEcr>),
    OP("prmt.b32.rc16", prmt_mode<kRc16>),
    {"lop3.b32", &lop3},
    OP("bmsk.clamp.b32", bmsk_clamp),
    OP("bmsk.wrap.b32", bmsk_wrap),
    OP("fns.b32", fns),
    OP("szext.clamp.u32", szext_u<false>),
    OP("szext.wrap.u32", szext_u<true>),
    OP("szext.clamp.s32", szext_s<false>),
    OP("szext.wrap.s32", szext_s<true>),
    OP("mov.1", move<u8>),
    OP("mov.2", move<u16>),
    OP("mov.4", move<u32>),
    OP("mov.8", move<u64>),
    OP("mov.pred", move<bool>),
    OP("mov.16", move<unsigned __int128>),
    OP("selp.pred", selp<bool>),
    RESIZE("1", u8, s8),
    RESIZE("2", u16, s16),
    RESIZE("4", u32, s32),
    RESIZE("8", u64, s64),
};

} // namespace

HandlerTable bits_table() { return {kRows, sizeof(kRows) / sizeof(kRows[0])}; }

} // namespace tegula::emulator::TEGULA_LANES
