// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparisons for setp and set. The unordered ones are true when an operand is NaN.
#include "runtime/emulator/lanes/real.h"

namespace tegula::emulator::TEGULA_LANES {
namespace {

template <class T> struct Plain {
  using In = T;
  static T get(T v) { return v; }
};
struct Ftz {
  using In = f32;
  static f32 get(f32 v) { return flush(v); }
};
struct F16 {
  using In = u16;
  static f32 get(u16 v) { return from_f16(v); }
};
struct F16Ftz {
  using In = u16;
  static f32 get(u16 v) { return from_f16((v & 0x7c00) == 0 ? v & 0x8000 : v); }
};
struct Bf16 {
  using In = u16;
  static f32 get(u16 v) { return from_bf16(v); }
};

template <class V> struct Compare {
  using In = typename V::In;
  static bool eq(In a, In b) { return V::get(a) == V::get(b); }
  static bool ne(In a, In b) { return V::get(a) < V::get(b) || V::get(a) > V::get(b); } // ordered
  static bool lt(In a, In b) { return V::get(a) < V::get(b); }
  static bool le(In a, In b) { return V::get(a) <= V::get(b); }
  static bool gt(In a, In b) { return V::get(a) > V::get(b); }
  static bool ge(In a, In b) { return V::get(a) >= V::get(b); }
  static bool equ(In a, In b) { return !ne(a, b); }
  static bool neu(In a, In b) { return !eq(a, b); }
  static bool ltu(In a, In b) { return !ge(a, b); }
  static bool leu(In a, In b) { return !gt(a, b); }
  static bool gtu(In a, In b) { return !le(a, b); }
  static bool geu(In a, In b) { return !lt(a, b); }
  static bool num(In a, In b) { return V::get(a) == V::get(a) && V::get(b) == V::get(b); }
  static bool nan(In a, In b) { return !num(a, b); }
};

// Both halves of a pair: One where the comparison holds.
template <bool (*F)(u16, u16), u16 One> u32 both(u32 a, u32 b) {
  return u32(F(u16(a), u16(b)) ? One : 0) | u32(F(u16(a >> 16), u16(b >> 16)) ? One : 0) << 16;
}

#define PAIRS_OF(name, V, One, t)                                                                                      \
  OP(name "eq." t, both<Compare<V>::eq, One>), OP(name "ne." t, both<Compare<V>::ne, One>),                            \
      OP(name "lt." t, both<Compare<V>::lt, One>), OP(name "le." t, both<Compare<V>::le, One>),                        \
      OP(name "gt." t, both<Compare<V>::gt, One>), OP(name "ge." t, both<Compare<V>::ge, One>),                        \
      OP(name "equ." t, both<Compare<V>::equ, One>), OP(name "neu." t, both<Compare<V>::neu, One>),                    \
      OP(name "ltu." t, both<Compare<V>::ltu, One>), OP(name "leu." t, both<Compare<V>::leu, One>),                    \
      OP(name "gtu." t, both<Compare<V>::gtu, One>), OP(name "geu." t, both<Compare<V>::geu, One>),                    \
      OP(name "num." t, both<Compare<V>::num, One>), OP(name "nan." t, both<Compare<V>::nan, One>)
#define ORDERED(V, t)                                                                                                  \
  OP("setp.eq." t, Compare<V>::eq), OP("setp.ne." t, Compare<V>::ne), OP("setp.lt." t, Compare<V>::lt),                \
      OP("setp.le." t, Compare<V>::le), OP("setp.gt." t, Compare<V>::gt), OP("setp.ge." t, Compare<V>::ge)
#define FLOATS(V, t)                                                                                                   \
  ORDERED(V, t), OP("setp.equ." t, Compare<V>::equ), OP("setp.neu." t, Compare<V>::neu),                               \
      OP("setp.ltu." t, Compare<V>::ltu), OP("setp.leu." t, Compare<V>::leu), OP("setp.gtu." t, Compare<V>::gtu),      \
      OP("setp.geu." t, Compare<V>::geu), OP("setp.num." t, Compare<V>::num), OP("setp.nan." t, Compare<V>::nan)

constexpr NamedHandler kRows[] = {
    ORDERED(Plain<u16>, "u16"),
    ORDERED(Plain<s16>, "s16"),
    ORDERED(Plain<u32>, "u32"),
    ORDERED(Plain<s32>, "s32"),
    ORDERED(Plain<u64>, "u64"),
    ORDERED(Plain<s64>, "s64"),
    FLOATS(Plain<f32>, "f32"),
    FLOATS(Ftz, "ftz.f32"),
    FLOATS(Plain<f64>, "f64"),
    FLOATS(F16, "f16"),
    FLOATS(F16Ftz, "ftz.f16"),
    FLOATS(Bf16, "bf16"),
    PAIRS_OF("set.", F16, 0x3c00, "f16x2"),
    PAIRS_OF("set.", Bf16, 0x3f80, "bf16x2"),
    PAIRS_OF("set.mask.", F16, 0xffff, "f16x2"),
    PAIRS_OF("set.mask.", Bf16, 0xffff, "bf16x2"),
};

} // namespace

HandlerTable compare_table() { return {kRows, sizeof(kRows) / sizeof(kRows[0])}; }

} // namespace tegula::emulator::TEGULA_LANES
