// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes a handler out of a function of one lane. Everything lies in a namespace that differs by instruction set, and
// no inline function of the standard library is used, so that the two compilations never share a symbol.
#pragma once

#include "runtime/emulator/lanes/lanes.h"

#ifndef TEGULA_LANES
#define TEGULA_LANES lanes_base
#endif

namespace tegula::emulator::TEGULA_LANES {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using s8 = int8_t;
using s16 = int16_t;
using s32 = int32_t;
using s64 = int64_t;
using f32 = float;
using f64 = double;

alignas(64) static constexpr u32 kBit[32] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,  1u << 8,  1u << 9,  1u << 10,
    1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
    1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

template <class T> struct Source {
  const T *p;
  Source(const Exec &x, Slot s) : p(x.reg<T>(s)) {}
  T operator[](unsigned l) const { return p[l]; }
};
template <> struct Source<bool> {
  u32 m;
  Source(const Exec &x, Slot s) : m(x.pred(s)) {}
  bool operator[](unsigned l) const { return (m & kBit[l]) != 0; }
};

template <class D> static inline void store(D *d, const D *r, u32 mask) {
  if (mask == kAllLanes) {
    __builtin_memcpy(d, r, sizeof(D) * kLanes);
    return;
  }
  for (unsigned l = 0; l < kLanes; ++l)
    d[l] = (mask & kBit[l]) ? r[l] : d[l];
}

template <class D, class... S> struct Lane {
  template <auto F, unsigned... I> static void loop(Exec &x, const Inst &i, u32 mask, const Source<S> &...s) {
    if constexpr (__is_same(D, bool)) {
      u32 bits = 0;
      for (unsigned l = 0; l < kLanes; ++l)
        bits |= F(s[l]...) ? kBit[l] : 0;
      u32 &d = x.pred(i.d);
      d = (d & ~mask) | (bits & mask);
    } else {
      alignas(64) D r[kLanes];
      for (unsigned l = 0; l < kLanes; ++l)
        r[l] = F(s[l]...);
      store(x.reg<D>(i.d), r, mask);
    }
  }
};

template <auto F, class D, class... S> struct Unpack;
template <auto F, class D> static void call(Exec &x, const Inst &i, u32 m, D (*)()) {
  Lane<D>::template loop<F>(x, i, m);
}
template <auto F, class D, class A> static void call(Exec &x, const Inst &i, u32 m, D (*)(A)) {
  Lane<D, A>::template loop<F>(x, i, m, Source<A>(x, i.s[0]));
}
template <auto F, class D, class A, class B> static void call(Exec &x, const Inst &i, u32 m, D (*)(A, B)) {
  Lane<D, A, B>::template loop<F>(x, i, m, Source<A>(x, i.s[0]), Source<B>(x, i.s[1]));
}
template <auto F, class D, class A, class B, class C> static void call(Exec &x, const Inst &i, u32 m, D (*)(A, B, C)) {
  Lane<D, A, B, C>::template loop<F>(x, i, m, Source<A>(x, i.s[0]), Source<B>(x, i.s[1]), Source<C>(x, i.s[2]));
}
template <auto F, class D, class A, class B, class C, class E>
static void call(Exec &x, const Inst &i, u32 m, D (*)(A, B, C, E)) {
  Lane<D, A, B, C, E>::template loop<F>(x, i, m, Source<A>(x, i.s[0]), Source<B>(x, i.s[1]), Source<C>(x, i.s[2]),
                                        Source<E>(x, i.s[3]));
}

/// The handler that applies F, a function of one lane's values, to all lanes. bool stands for a predicate.
template <auto F> static void lanes(Exec &x, const Inst &i, u32 mask) { call<F>(x, i, mask, +F); }

#define OP(name, ...)                                                                                                  \
  NamedHandler { name, &lanes<__VA_ARGS__> }

template <class To, class From> static inline To bit_cast(From v) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, v);
}

} // namespace tegula::emulator::TEGULA_LANES
