// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element-wise reductions of bulk copies, atomic for each element since CTAs on other threads may add to the same.
#include "runtime/emulator/async/bulk.h"
#include "runtime/emulator/ops/float_format.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace tegula::emulator {
namespace {

using ptx::Type;

template <class T> T integer(Reduction op, T a, T b) {
  switch (op) {
  case Reduction::min: return std::min(a, b);
  case Reduction::max: return std::max(a, b);
  case Reduction::inc: return a >= b ? T(0) : T(a + 1);
  case Reduction::dec: return a == 0 || a > b ? b : T(a - 1);
  case Reduction::and_: return a & b;
  case Reduction::or_: return a | b;
  case Reduction::xor_: return a ^ b;
  default: return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  }
}

template <class F> F real(Reduction op, F a, F b) {
  return op == Reduction::min ? std::fmin(a, b) : op == Reduction::max ? std::fmax(a, b) : a + b;
}

uint64_t combine(Reduction op, Type t, uint64_t a, uint64_t b) {
  switch (t) {
  case Type::f32: {
    float r = real(op, std::bit_cast<float>(static_cast<uint32_t>(a)), std::bit_cast<float>(static_cast<uint32_t>(b)));
    return std::isnan(r) ? 0x7fffffffu : std::bit_cast<uint32_t>(r);
  }
  case Type::f64: return std::bit_cast<uint64_t>(real(op, std::bit_cast<double>(a), std::bit_cast<double>(b)));
  case Type::f16:
  case Type::bf16: {
    const FloatFormat &f = t == Type::f16 ? kF16 : kBf16;
    return encode(real(op, decode(static_cast<uint32_t>(a), f), decode(static_cast<uint32_t>(b), f)), f,
                  Round::nearest_even, false);
  }
  case Type::s32: return static_cast<uint32_t>(integer(op, static_cast<int32_t>(a), static_cast<int32_t>(b)));
  case Type::s64: return static_cast<uint64_t>(integer(op, static_cast<int64_t>(a), static_cast<int64_t>(b)));
  case Type::u64:
  case Type::b64: return integer(op, a, b);
  default: return integer(op, static_cast<uint32_t>(a), static_cast<uint32_t>(b));
  }
}

template <class T> void update(std::byte *to, const std::byte *from, Reduction op, Type type) {
  T value;
  std::memcpy(&value, from, sizeof value);
  auto *p = reinterpret_cast<T *>(to);
  T old = __atomic_load_n(p, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(p, &old, static_cast<T>(combine(op, type, old, value)), true, __ATOMIC_ACQ_REL,
                                      __ATOMIC_RELAXED)) {
  }
}

} // namespace

void reduce_element(std::byte *to, const std::byte *from, Reduction op, Type type) {
  switch (ptx::bits_of(type)) {
  case 8: return update<uint8_t>(to, from, op, type);
  case 16: return update<uint16_t>(to, from, op, type);
  case 32: return update<uint32_t>(to, from, op, type);
  default: return update<uint64_t>(to, from, op, type);
  }
}

} // namespace tegula::emulator
