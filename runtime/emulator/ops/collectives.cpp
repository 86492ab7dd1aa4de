// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Warp collectives. Each runs once all lanes of its member mask stand at it; lanes may have different masks.
#include "runtime/emulator/machine/machine.h"
#include "runtime/emulator/ops/decoders.h"
#include "runtime/emulator/program/decoder.h"

namespace tegula::emulator {
namespace {

enum class Shuffle : uint8_t { up, down, bfly, idx };

void shuffle(Exec &x, const Inst &i, uint32_t mask) {
  auto &w = static_cast<Warp &>(x);
  const uint32_t *a = x.reg<uint32_t>(i.s[0]), *b = x.reg<uint32_t>(i.s[1]), *c = x.reg<uint32_t>(i.s[2]);
  uint32_t from[kLanes], valid = 0, result[kLanes];
  for (unsigned l = 0; l < kLanes; ++l) {
    uint32_t lane_b = b[l] & 31, clamp = c[l] & 31, segment = c[l] >> 8 & 31;
    uint32_t max = (l & segment) | (clamp & ~segment), min = l & segment;
    int64_t j = l;
    bool ok = false;
    switch (static_cast<Shuffle>(i.mode)) {
    case Shuffle::up:
      j = int64_t{l} - lane_b;
      ok = j >= static_cast<int64_t>(max);
      break;
    case Shuffle::down:
      j = int64_t{l} + lane_b;
      ok = j <= static_cast<int64_t>(max);
      break;
    case Shuffle::bfly:
      j = l ^ lane_b;
      ok = j <= static_cast<int64_t>(max);
      break;
    case Shuffle::idx:
      j = min | (lane_b & ~segment);
      ok = j <= static_cast<int64_t>(max);
      break;
    }
    from[l] = ok ? static_cast<uint32_t>(j) : l;
    valid |= static_cast<uint32_t>(ok) << l;
  }
  for (unsigned l = 0; l < kLanes; ++l) {
    result[l] = a[from[l]];
    if (mask >> l & 1 && !(mask >> from[l] & 1) && w.launch->options.checks)
      w.report(FindingKind::barrier_misuse,
               "shuffle from lane " + std::to_string(from[l]) + ", which does not take part: its value is undefined",
               static_cast<int>(l));
  }
  uint32_t *d = x.reg<uint32_t>(i.d);
  for (unsigned l = 0; l < kLanes; ++l)
    if (mask >> l & 1)
      d[l] = result[l];
  uint32_t &p = x.pred(i.d2);
  p = (p & ~mask) | (valid & mask);
}

enum class Vote : uint8_t { all, any, uni, ballot };

void vote(Exec &x, const Inst &i, uint32_t mask) {
  uint32_t yes = x.pred(i.s[0]) & mask;
  const uint32_t *member = x.reg<uint32_t>(i.member);
  uint32_t bits = 0;
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1))
      continue;
    uint32_t m = member[l] & mask, y = yes & m;
    auto kind = static_cast<Vote>(i.mode);
    if (kind == Vote::ballot)
      x.reg<uint32_t>(i.d)[l] = y;
    else
      bits |= static_cast<uint32_t>(kind == Vote::all ? y == m : kind == Vote::any ? y != 0 : y == m || y == 0) << l;
  }
  if (static_cast<Vote>(i.mode) != Vote::ballot) {
    uint32_t &d = x.pred(i.d);
    d = (d & ~mask) | bits;
  }
}

template <class T> void match(Exec &x, const Inst &i, uint32_t mask) {
  const T *a = x.reg<T>(i.s[0]);
  const uint32_t *member = x.reg<uint32_t>(i.member);
  uint32_t result[kLanes] = {}, all = 0;
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1))
      continue;
    for (unsigned k = 0; k < kLanes; ++k)
      if (member[l] & mask & (1u << k) && a[k] == a[l])
        result[l] |= 1u << k;
    bool same = result[l] == (member[l] & mask);
    all |= static_cast<uint32_t>(same) << l;
    if (i.mode && !same)
      result[l] = 0;
  }
  for (unsigned l = 0; l < kLanes; ++l)
    if (mask >> l & 1)
      x.reg<uint32_t>(i.d)[l] = result[l];
  if (i.mode) {
    uint32_t &p = x.pred(i.d2);
    p = (p & ~mask) | (all & mask);
  }
}

enum class Redux : uint8_t { add, min, max, and_, or_, xor_ };

uint32_t reduce(Redux op, bool is_signed, uint32_t a, uint32_t b) {
  switch (op) {
  case Redux::add: return a + b;
  case Redux::min:
    return is_signed ? static_cast<uint32_t>(std::min(static_cast<int32_t>(a), static_cast<int32_t>(b)))
                     : std::min(a, b);
  case Redux::max:
    return is_signed ? static_cast<uint32_t>(std::max(static_cast<int32_t>(a), static_cast<int32_t>(b)))
                     : std::max(a, b);
  case Redux::and_: return a & b;
  case Redux::or_: return a | b;
  default: return a ^ b;
  }
}

/// flags of redux of f32: 2 NaN wins, 4 magnitudes. -0 is below +0.
float reduce_real(bool want_max, bool nan_wins, float a, float b) {
  if (a != a || b != b)
    return nan_wins || (a != a && b != b) ? __builtin_bit_cast(float, 0x7fffffffu) : a != a ? b : a;
  if (a == b)
    return __builtin_signbit(a) == want_max ? b : a;
  return (a > b) == want_max ? a : b;
}

void redux_real(Exec &x, const Inst &i, uint32_t mask) {
  const float *a = x.reg<float>(i.s[0]);
  const uint32_t *member = x.reg<uint32_t>(i.member);
  float result[kLanes] = {};
  for (unsigned l = 0; l < kLanes; ++l) {
    bool first = true;
    for (unsigned k = 0; k < kLanes; ++k) {
      if (!(mask >> l & 1) || !(member[l] & mask & (1u << k)))
        continue;
      float v = i.flags & 4 ? __builtin_fabsf(a[k]) : a[k];
      result[l] = reduce_real(static_cast<Redux>(i.mode) == Redux::max, i.flags & 2, first ? v : result[l], v);
      first = false;
    }
  }
  for (unsigned l = 0; l < kLanes; ++l)
    if (mask >> l & 1)
      x.reg<float>(i.d)[l] = result[l];
}

void redux(Exec &x, const Inst &i, uint32_t mask) {
  const uint32_t *a = x.reg<uint32_t>(i.s[0]), *member = x.reg<uint32_t>(i.member);
  uint32_t result[kLanes] = {};
  for (unsigned l = 0; l < kLanes; ++l) {
    bool first = true;
    for (unsigned k = 0; k < kLanes; ++k) {
      if (!(mask >> l & 1) || !(member[l] & mask & (1u << k)))
        continue;
      result[l] = first ? a[k] : reduce(static_cast<Redux>(i.mode), i.flags & 1, result[l], a[k]);
      first = false;
    }
  }
  for (unsigned l = 0; l < kLanes; ++l)
    if (mask >> l & 1)
      x.reg<uint32_t>(i.d)[l] = result[l];
}

void activemask(Exec &x, const Inst &i, uint32_t mask) {
  for (unsigned l = 0; l < kLanes; ++l)
    if (mask >> l & 1)
      x.reg<uint32_t>(i.d)[l] = mask;
}

/// The lowest lane of the mask; PTX does not promise which.
void elect(Exec &x, const Inst &i, uint32_t mask) {
  const uint32_t *member = x.reg<uint32_t>(i.member);
  uint32_t chosen = 0;
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1))
      continue;
    uint32_t m = member[l] & mask;
    auto leader = static_cast<unsigned>(std::countr_zero(m ? m : 1u << l));
    x.reg<uint32_t>(i.d)[l] = leader;
    chosen |= static_cast<uint32_t>(leader == l) << l;
  }
  uint32_t &p = x.pred(i.d2);
  p = (p & ~mask) | chosen;
}

void with_member(Decoder &d, Inst &i, size_t operand) {
  i.member = d.use(operand, Type::b32);
  i.converge = Converge::member_mask;
}

} // namespace

void decode_shfl(Decoder &d) {
  (void)d.take(".sync");
  int mode = d.take_any({".up", ".down", ".bfly", ".idx"});
  (void)d.take_type();
  if (mode < 0 || d.operands() < 5)
    d.refuse("only shfl.sync with a member mask is emulated");
  Inst i;
  i.run = &shuffle;
  i.mode = static_cast<uint8_t>(mode);
  i.s[0] = d.use(1, Type::b32);
  i.s[1] = d.use(2, Type::b32);
  i.s[2] = d.use(3, Type::b32);
  with_member(d, i, 4);
  const Operand &to = d.operand(0);
  i.d = to.kind == OperandKind::sink ? d.scratch(4) : d.def_name(to.name, Type::b32);
  i.d2 = to.second.empty() ? d.scratch(0) : d.def_pred_named(to.second);
  d.emit(i);
}

void decode_vote(Decoder &d) {
  if (!d.take(".sync"))
    d.refuse("only vote.sync is emulated");
  int mode = d.take_any({".all", ".any", ".uni", ".ballot"});
  (void)d.take_type();
  Inst i;
  i.run = &vote;
  i.mode = static_cast<uint8_t>(mode);
  i.s[0] = d.use_pred(d.operand(1));
  with_member(d, i, 2);
  i.d = mode == 3 ? d.def(0, Type::b32) : d.def_pred(d.operand(0));
  d.emit(i);
}

void decode_match(Decoder &d) {
  (void)d.take(".sync");
  int mode = d.take_any({".any", ".all"});
  Type t = d.take_type();
  Inst i;
  bool wide = ptx::bits_of(t) == 64;
  i.run = wide ? &match<uint64_t> : &match<uint32_t>;
  i.mode = static_cast<uint8_t>(mode);
  i.s[0] = d.use(1, t);
  with_member(d, i, 2);
  const Operand &to = d.operand(0);
  i.d = d.def_name(to.name, Type::b32);
  i.d2 = to.second.empty() ? d.scratch(0) : d.def_pred_named(to.second);
  d.emit(i);
}

void decode_redux(Decoder &d) {
  (void)d.take(".sync");
  int op = d.take_any({".add", ".min", ".max", ".and", ".or", ".xor"});
  bool magnitude = d.take(".abs"), nan = d.take(".NaN");
  Type t = d.take_type();
  bool real = t == Type::f32;
  if (real ? op != 1 && op != 2 : magnitude || nan)
    d.refuse("this reduction is not emulated");
  if (op < 0 || (!real && t != Type::u32 && t != Type::s32 && t != Type::b32))
    d.refuse("this reduction is not emulated");
  Inst i;
  i.run = real ? &redux_real : &redux;
  i.mode = static_cast<uint8_t>(op);
  i.flags = real ? (nan ? 2u : 0u) | (magnitude ? 4u : 0u) : t == Type::s32;
  i.s[0] = d.use(1, t);
  with_member(d, i, 2);
  i.d = d.def(0, t);
  d.emit(i);
}

void decode_activemask(Decoder &d) {
  (void)d.take_type();
  d.emit_run(&activemask, d.def(0, Type::b32));
}

void decode_elect(Decoder &d) {
  (void)d.take(".sync");
  Inst i;
  i.run = &elect;
  with_member(d, i, 1);
  const Operand &to = d.operand(0);
  i.d = to.kind == OperandKind::sink || to.name == "_" ? d.scratch(4) : d.def_name(to.name, Type::b32);
  if (to.second.empty())
    d.refuse("it needs a predicate for its result");
  i.d2 = d.def_pred_named(to.second);
  d.emit(i);
}

} // namespace tegula::emulator
