// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mov with its packing and unpacking, selections and comparisons, addresses between state spaces.
#include "runtime/emulator/ops/moves.h"

#include "runtime/emulator/lanes/registry.h"
#include "runtime/emulator/machine/machine.h"
#include "runtime/emulator/ops/decoders.h"
#include "runtime/emulator/program/decoder.h"

#include <cstring>

namespace tegula::emulator {
namespace {

template <class T> void local_address(Exec &x, const Inst &i, uint32_t mask) {
  auto base = static_cast<Warp &>(x).frame->local_base + static_cast<uint64_t>(i.addr.imm);
  T *d = x.reg<T>(i.d);
  for (unsigned l = 0; l < kLanes; ++l)
    if (mask >> l & 1)
      d[l] = static_cast<T>(base);
}

void not_pred(Exec &x, const Inst &i, uint32_t mask) {
  uint32_t &d = x.pred(i.d);
  d = (d & ~mask) | (~x.pred(i.s[0]) & mask);
}

/// One wide value out of several narrow ones; `bytes` is the narrow width.
void pack(Exec &x, const Inst &i, uint32_t mask) {
  unsigned wide = i.bytes * i.list_count;
  alignas(16) std::byte value[kLanes][16];
  for (unsigned n = 0; n < i.list_count; ++n) {
    const std::byte *from = x.reg<std::byte>(i.list[n]);
    for (unsigned l = 0; l < kLanes; ++l)
      std::memcpy(&value[l][n * i.bytes], from + l * i.bytes, i.bytes);
  }
  std::byte *to = x.reg<std::byte>(i.d);
  for (unsigned l = 0; l < kLanes; ++l)
    if (mask >> l & 1)
      std::memcpy(to + l * wide, value[l], wide);
}

void unpack(Exec &x, const Inst &i, uint32_t mask) {
  unsigned wide = i.bytes * i.list_count;
  alignas(64) std::byte value[kLanes * 16];
  std::memcpy(value, x.reg<std::byte>(i.s[0]), kLanes * wide);
  for (unsigned n = 0; n < i.list_count; ++n) {
    std::byte *to = x.reg<std::byte>(i.list[n]);
    for (unsigned l = 0; l < kLanes; ++l)
      if (mask >> l & 1)
        std::memcpy(to + l * i.bytes, &value[l * wide + n * i.bytes], i.bytes);
  }
}

Type narrow_type(unsigned bytes) {
  return bytes == 1 ? Type::b8 : bytes == 2 ? Type::b16 : bytes == 4 ? Type::b32 : Type::b64;
}

uint64_t window_of(Space s) {
  return s == Space::shared || s == Space::shared_cluster ? kSharedWindow
         : s == Space::local                              ? kLocalWindow
         : s == Space::param                              ? kParamWindow
                                                          : 0;
}

constexpr uint64_t kWindowMask = ~uint64_t{0} << 48;

/// flags: 0 to generic, 1 from generic; addr.imm: the window.
template <class T> void cvta(Exec &x, const Inst &i, uint32_t mask) {
  const T *a = x.reg<T>(i.s[0]);
  T *d = x.reg<T>(i.d);
  auto window = static_cast<uint64_t>(i.addr.imm);
  for (unsigned l = 0; l < kLanes; ++l)
    if (mask >> l & 1)
      d[l] = i.flags ? static_cast<T>(window ? a[l] & ~kWindowMask : a[l]) : static_cast<T>(a[l] | window);
}

void isspacep(Exec &x, const Inst &i, uint32_t mask) {
  const uint64_t *a = x.reg<uint64_t>(i.s[0]);
  uint32_t bits = 0;
  for (unsigned l = 0; l < kLanes; ++l)
    bits |= static_cast<uint32_t>((a[l] & kWindowMask) == static_cast<uint64_t>(i.addr.imm)) << l;
  uint32_t &d = x.pred(i.d);
  d = (d & ~mask) | (bits & mask);
}

Space take_space(Decoder &d) {
  std::string_view rest;
  if (d.take(".global"))
    return Space::global;
  if (d.take(".const"))
    return Space::constant;
  if (d.take_prefix(".shared", rest))
    return rest == "::cluster" ? Space::shared_cluster : Space::shared;
  if (d.take(".local"))
    return Space::local;
  if (d.take_prefix(".param", rest))
    return Space::param;
  return Space::generic;
}

void logic(Decoder &d, const char *op, Slot to, Slot a, Slot b) { d.emit_run(find_lane(op), to, a, b); }

} // namespace

Handler resize_handler(unsigned from, unsigned to, bool sign) {
  return find_lane("resize." + std::to_string(from) + (sign ? ".s" : ".u") + std::to_string(to));
}
Handler local_address_handler(unsigned bytes) {
  return bytes == 4 ? &local_address<uint32_t> : &local_address<uint64_t>;
}
Handler not_pred_handler() { return &not_pred; }

void decode_mov(Decoder &d) {
  Type t = d.take_type();
  d.expect_operands(2, 2);
  const Operand &to = d.operand(0), &from = d.operand(1);
  unsigned bytes = ptx::bits_of(t) / 8;
  if (from.kind == OperandKind::vector || to.kind == OperandKind::vector) {
    const Operand &parts = from.kind == OperandKind::vector ? from : to;
    if (parts.parts.empty() || bytes % parts.parts.size() || t == Type::pred)
      d.refuse("the vector does not fit the type");
    Inst i;
    i.bytes = static_cast<uint8_t>(bytes / parts.parts.size());
    i.list_count = static_cast<uint16_t>(parts.parts.size());
    Type narrow = narrow_type(i.bytes);
    if (&parts == &from) {
      i.run = &pack;
      i.list = d.keep(d.use_vector(from, narrow));
      i.d = d.def(to, t);
    } else {
      i.run = &unpack;
      i.s[0] = d.use(from, t);
      i.list = d.keep(d.def_vector(to, narrow));
    }
    return d.emit(i);
  }
  Slot a = d.use(from, t), r = d.def(to, t);
  d.emit_run(find_lane(t == Type::pred ? "mov.pred" : "mov." + std::to_string(bytes)), r, a);
}

void decode_cvta(Decoder &d) {
  bool to = d.take(".to");
  Space space = take_space(d);
  Type t = d.take_type();
  Inst i;
  bool wide = ptx::bits_of(t) == 64;
  i.run = wide ? &cvta<uint64_t> : &cvta<uint32_t>;
  i.flags = to;
  i.addr.imm = static_cast<int64_t>(window_of(space));
  i.s[0] = d.use(1, t);
  i.d = d.def(0, t);
  d.emit(i);
}

void decode_isspacep(Decoder &d) {
  Inst i;
  i.run = &isspacep;
  i.addr.imm = static_cast<int64_t>(window_of(take_space(d)));
  i.s[0] = d.use(1, Type::u64);
  i.d = d.def_pred(d.operand(0));
  d.emit(i);
}

namespace {
constexpr const char *kComparisons[] = {"eq", "ne",  "lt",  "le",  "gt",  "ge",  "lo",  "ls",  "hi",
                                        "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};

int take_comparison(Decoder &d) {
  int op = d.take_any({".eq", ".ne", ".lt", ".le", ".gt", ".ge", ".lo", ".ls", ".hi", ".hs", ".equ", ".neu", ".ltu",
                       ".leu", ".gtu", ".geu", ".num", ".nan"});
  if (op < 0)
    d.refuse("it has no comparison");
  return op;
}

/// The comparison of setp and set on values of type t, combined with a third predicate if there is one. Leaves it in a
/// fresh predicate and the inverse's combination in the second.
std::pair<Slot, Slot> comparison(Decoder &d, Type t, bool want_inverse) {
  constexpr size_t first = 1;
  int op = take_comparison(d);
  int combine = d.take_any({".and", ".or", ".xor"});
  bool ftz = d.take(".ftz");
  std::string type(ptx::name_of(t));
  if (type[0] == 'b' && t != Type::bf16 && t != Type::bf16x2)
    type[0] = 'u';
  if (op >= 6 && op <= 9) // lo, ls, hi, hs: the unsigned names
    op = op == 6 ? 2 : op == 7 ? 3 : op == 8 ? 4 : 5;
  Slot a = d.use(first, t), b = d.use(first + 1, t);
  Slot c = combine >= 0 ? d.use_pred(d.operand(first + 2)) : Slot{};
  Slot p = d.scratch(0), q = p;
  Handler run = find_lane(std::string("setp.") + kComparisons[op] +
                          (ftz && (t == Type::f32 || t == Type::f16) ? ".ftz." : ".") + type);
  d.emit_run(run, p, a, b);
  if (want_inverse) {
    q = d.scratch(0);
    d.emit_run(&not_pred, q, p);
  }
  if (combine >= 0) {
    static constexpr const char *kCombine[] = {"and.pred", "or.pred", "xor.pred"};
    logic(d, kCombine[combine], p, p, c);
    if (want_inverse)
      logic(d, kCombine[combine], q, q, c);
  }
  return {p, q};
}

/// Each half of a pair is compared by itself: 1.0 when true, or all ones where the result is an integer.
void packed_set(Decoder &d, Type result, Type t) {
  d.expect_operands(3, 3);
  if (result != t && result != Type::u32 && result != Type::s32)
    d.refuse("a result of this type is not emulated");
  std::string name = std::string(result == t ? "set." : "set.mask.") + kComparisons[take_comparison(d)];
  d.emit_run(find_lane(name + "." + std::string(ptx::name_of(t))), d.def(0, result), d.use(1, t), d.use(2, t));
}
} // namespace

void decode_setp(Decoder &d) {
  const Operand &to = d.operand(0);
  auto [p, q] = comparison(d, d.take_type(), !to.second.empty());
  Handler move = find_lane("mov.pred");
  if (to.kind == OperandKind::name)
    d.emit_run(move, d.def_pred_named(to.name), p);
  if (!to.second.empty())
    d.emit_run(move, d.def_pred_named(to.second), q);
}

void decode_set(Decoder &d) {
  // The first type is the result's: all ones or 1.0 when true.
  Type result = d.take_type();
  Type t = d.take_type();
  if (t == Type::f16x2 || t == Type::bf16x2)
    return packed_set(d, result, t);
  uint64_t one = result == Type::f32    ? 0x3f800000u
                 : result == Type::f16  ? 0x3c00u
                 : result == Type::bf16 ? 0x3f80u
                                        : ~0u;
  unsigned bits = ptx::bits_of(result);
  if (bits != 32 && bits != 16)
    d.refuse("a result of this type is not emulated");
  auto [p, q] = comparison(d, t, false);
  Slot yes = d.constant(one, bits / 8), no = d.constant(0, bits / 8);
  d.emit_run(find_lane("selp.b" + std::to_string(bits)), d.def(0, result), yes, no, p);
}

void decode_selp(Decoder &d) {
  Type t = d.take_type();
  d.expect_operands(4, 4);
  Slot a = d.use(1, t), b = d.use(2, t), p = d.use_pred(d.operand(3));
  std::string name = t == Type::pred ? "selp.pred" : "selp.b" + std::to_string(ptx::bits_of(t));
  d.emit_run(find_lane(name), d.def(0, t), a, b, p);
}

void decode_slct(Decoder &d) {
  (void)d.take(".ftz");
  Type t = d.take_type(), by = d.take_type();
  Slot a = d.use(1, t), b = d.use(2, t), c = d.use(3, by);
  d.emit_run(find_lane("slct.b" + std::to_string(ptx::bits_of(t)) + "." + std::string(ptx::name_of(by))), d.def(0, t),
             a, b, c);
}

} // namespace tegula::emulator
