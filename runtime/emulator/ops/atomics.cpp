// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// atom and red, every one a compare-and-swap loop on the host, so that CTAs on other threads see whole values.
#include "runtime/emulator/machine/access.h"
#include "runtime/emulator/ops/decoders.h"
#include "runtime/emulator/ops/float_format.h"
#include "runtime/emulator/ops/memory.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <mutex>

namespace tegula::emulator {
namespace {

enum class Op : uint8_t { add, min, max, and_, or_, xor_, inc, dec, exch, cas };

double half_sum(uint16_t a, uint16_t b, const FloatFormat &f) { return decode(a, f) + decode(b, f); }

uint16_t half_op(Op op, uint16_t a, uint16_t b, const FloatFormat &f) {
  double x = decode(a, f), y = decode(b, f);
  if (op == Op::add) {
    double s = half_sum(a, b, f);
    return static_cast<uint16_t>(std::isnan(s) ? 0x7fff : encode(s, f, Round::nearest_even, false));
  }
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) && std::isnan(y) ? 0x7fff : std::isnan(x) ? b : a;
  return (op == Op::min) == (y < x) ? b : a;
}

template <class T> T integer_op(Op op, T old, T v) {
  switch (op) {
  case Op::min: return std::min(old, v);
  case Op::max: return std::max(old, v);
  case Op::inc: return old >= v ? T(0) : T(old + 1);
  case Op::dec: return old == 0 || old > v ? v : T(old - 1);
  case Op::and_: return old & v;
  case Op::or_: return old | v;
  case Op::xor_: return old ^ v;
  default: return static_cast<T>(static_cast<uint64_t>(old) + static_cast<uint64_t>(v));
  }
}

float flush(float v) { return std::fabs(v) < 0x1p-126f ? std::copysign(0.0f, v) : v; }

uint64_t float_op(Op op, Type t, uint64_t old, uint64_t v, bool ftz) {
  if (t == Type::f64)
    return std::bit_cast<uint64_t>(std::bit_cast<double>(old) + std::bit_cast<double>(v));
  auto a = std::bit_cast<float>(static_cast<uint32_t>(old)), b = std::bit_cast<float>(static_cast<uint32_t>(v));
  float r = op == Op::add   ? (ftz ? flush(flush(a) + flush(b)) : a + b)
            : op == Op::min ? std::fmin(a, b)
                            : std::fmax(a, b);
  return std::isnan(r) ? 0x7fffffffu : std::bit_cast<uint32_t>(r);
}

uint64_t combine(Op op, Type t, uint64_t old, uint64_t v, bool ftz) {
  if (op == Op::exch)
    return v;
  switch (t) {
  case Type::f32:
  case Type::f64: return float_op(op, t, old, v, ftz);
  case Type::f16: return half_op(op, static_cast<uint16_t>(old), static_cast<uint16_t>(v), kF16);
  case Type::bf16: return half_op(op, static_cast<uint16_t>(old), static_cast<uint16_t>(v), kBf16);
  case Type::f16x2:
  case Type::bf16x2: {
    const FloatFormat &f = t == Type::f16x2 ? kF16 : kBf16;
    return half_op(op, static_cast<uint16_t>(old), static_cast<uint16_t>(v), f) |
           uint64_t{half_op(op, static_cast<uint16_t>(old >> 16), static_cast<uint16_t>(v >> 16), f)} << 16;
  }
  case Type::s32: return static_cast<uint32_t>(integer_op(op, static_cast<int32_t>(old), static_cast<int32_t>(v)));
  case Type::s64: return static_cast<uint64_t>(integer_op(op, static_cast<int64_t>(old), static_cast<int64_t>(v)));
  case Type::u64:
  case Type::b64: return integer_op(op, old, v);
  default: return integer_op(op, static_cast<uint32_t>(old), static_cast<uint32_t>(v));
  }
}

/// \returns the old value
template <class T> uint64_t update(std::byte *at, Op op, Type t, uint64_t v, uint64_t compare, bool ftz) {
  auto *p = reinterpret_cast<T *>(at);
  T old = __atomic_load_n(p, __ATOMIC_RELAXED);
  for (;;) {
    T next = op == Op::cas ? (old == static_cast<T>(compare) ? static_cast<T>(v) : old)
                           : static_cast<T>(combine(op, t, old, v, ftz));
    if (__atomic_compare_exchange_n(p, &old, next, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
      return old;
  }
}

using Wide = unsigned __int128;
Wide update_wide(std::byte *at, Op op, Wide v, Wide compare) {
  static std::mutex mutex; // no portable 16-byte compare-and-swap
  std::lock_guard lock(mutex);
  Wide old;
  std::memcpy(&old, at, 16);
  if (op != Op::cas || old == compare)
    std::memcpy(at, &v, 16);
  return old;
}

uint64_t read_slot(const Exec &x, Slot s, unsigned bytes, unsigned lane) {
  uint64_t v = 0;
  std::memcpy(&v, x.reg<std::byte>(s) + lane * bytes, bytes);
  return v;
}

/// s[0] (or the list) holds the values, s[1] the value for cas, whose s[0] is the comparison. flags: has a result.
void atomic(Exec &x, const Inst &i, uint32_t mask) {
  auto &w = static_cast<Warp &>(x);
  auto op = static_cast<Op>(i.mode);
  auto type = static_cast<Type>(i.target);
  auto space = static_cast<Space>(i.space);
  unsigned total = i.bytes * i.vec;
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1))
      continue;
    uint64_t a = address_of(x, i.addr, l);
    if (a & (total - 1))
      fault_misaligned(w, a, total, "atomic", static_cast<int>(l));
    std::byte *at = place(w, a, total, space, Use::write, l);
    bool shared = space == Space::shared || space == Space::shared_cluster || (a & kWindowBits) == kSharedWindow;
    for (unsigned e = 0; e < i.vec; ++e, at += i.bytes) {
      if (i.bytes == 16) {
        Wide v = x.reg<Wide>(op == Op::cas ? i.s[1] : i.s[0])[l];
        Wide old = update_wide(at, op, v, x.reg<Wide>(i.s[0])[l]);
        if (i.flags & 1)
          x.reg<Wide>(i.d)[l] = old;
        continue;
      }
      uint64_t v = read_slot(x, op == Op::cas ? i.s[1] : i.list[e], i.bytes, l);
      uint64_t compare = op == Op::cas ? read_slot(x, i.s[0], i.bytes, l) : 0;
      uint64_t old = i.bytes == 2   ? update<uint16_t>(at, op, type, v, compare, !shared)
                     : i.bytes == 4 ? update<uint32_t>(at, op, type, v, compare, !shared)
                                    : update<uint64_t>(at, op, type, v, compare, !shared);
      if (i.flags & 1)
        std::memcpy(x.reg<std::byte>(i.vec > 1 ? i.list[i.vec + e] : i.d) + l * i.bytes, &old, i.bytes);
    }
    note_generic_write(w, a, space, total, l);
  }
  w.note_poll(address_of(x, i.addr, static_cast<unsigned>(std::countr_zero(mask))));
}

} // namespace

void decode_atom(Decoder &d) {
  bool result = d.ast().opcode == "atom";
  if (d.take(".async"))
    return result ? d.refuse("there is no asynchronous atom") : decode_async_store(d, true);
  const Operand &address = d.operand(result ? 1 : 0);
  Inst i;
  i.run = &atomic;
  i.space = static_cast<uint8_t>(take_state_space(d, address));
  (void)take_order(d);
  d.take_cache_hints();
  (void)d.take(".noftz");
  int op = d.take_any({".add", ".min", ".max", ".and", ".or", ".xor", ".inc", ".dec", ".exch", ".cas"});
  int v = d.take_any({".v2", ".v4", ".v8"});
  i.vec = static_cast<uint8_t>(v < 0 ? 1 : 2 << v);
  Type t = d.take_type();
  if (op < 0 || t == Type::none)
    d.refuse("it needs an operation and a type");
  i.mode = static_cast<uint8_t>(op);
  i.target = static_cast<uint32_t>(t);
  i.bytes = static_cast<uint8_t>(ptx::bits_of(t) / 8);
  if (i.bytes < 2 || (i.bytes == 16 && op < 8))
    d.refuse("this operation on this type is not emulated");
  i.addr = d.address(address);
  size_t first = result ? 2 : 1;
  std::vector<Slot> values = d.use_vector(d.operand(first), t);
  if (values.size() != i.vec)
    d.refuse("the vector has " + std::to_string(values.size()) + " registers");
  i.s[0] = values[0];
  if (static_cast<Op>(op) == Op::cas)
    i.s[1] = d.use(first + 1, t);
  i.flags = result;
  if (result) {
    std::vector<Slot> to = d.def_vector(d.operand(0), t);
    if (to.size() != i.vec)
      d.refuse("the result has " + std::to_string(to.size()) + " registers");
    i.d = to[0];
    values.insert(values.end(), to.begin(), to.end());
  }
  i.list = d.keep(std::move(values));
  d.emit(i);
}

} // namespace tegula::emulator
