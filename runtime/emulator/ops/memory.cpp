// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ld and st in all state spaces and vector widths.
#include "runtime/emulator/ops/memory.h"
#include "runtime/emulator/machine/access.h"
#include "runtime/emulator/ops/decoders.h"
#include "runtime/emulator/program/decoder.h"

#include <cstring>

namespace tegula::emulator {
namespace {

constexpr uint32_t kPolling = 1; // Inst::flags: volatile or ordered: may be waiting for somebody

const char *name_of_space(Space s) {
  switch (s) {
  case Space::global: return "global";
  case Space::shared:
  case Space::shared_cluster: return "shared";
  case Space::local: return "local";
  case Space::param: return "param";
  default: return "generic";
  }
}

template <unsigned Bytes> void copy_in(const Exec &x, const Inst &i, const std::byte *from, unsigned l) {
  for (unsigned v = 0; v < i.vec; ++v)
    std::memcpy(x.reg<std::byte>(i.list[v]) + l * Bytes, from + v * Bytes, Bytes);
}

template <unsigned Bytes> void load(Exec &x, const Inst &i, uint32_t mask) {
  auto &w = static_cast<Warp &>(x);
  auto space = static_cast<Space>(i.space);
  unsigned total = Bytes * i.vec;
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1))
      continue;
    uint64_t a = address_of(x, i.addr, l);
    if (a & (total - 1))
      fault_misaligned(w, a, total, name_of_space(space), static_cast<int>(l));
    const std::byte *from = space == Space::global ? global_place(w, a, total, Use::read, static_cast<int>(l))
                                                   : place(w, a, total, space, Use::read, l);
    copy_in<Bytes>(x, i, from, l);
  }
  if (i.flags & kPolling)
    w.note_poll(address_of(x, i.addr, static_cast<unsigned>(std::countr_zero(mask))));
}

template <unsigned Bytes> void store(Exec &x, const Inst &i, uint32_t mask) {
  auto &w = static_cast<Warp &>(x);
  auto space = static_cast<Space>(i.space);
  unsigned total = Bytes * i.vec;
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1))
      continue;
    uint64_t a = address_of(x, i.addr, l);
    if (a & (total - 1))
      fault_misaligned(w, a, total, name_of_space(space), static_cast<int>(l));
    std::byte *to = space == Space::global ? global_place(w, a, total, Use::write, static_cast<int>(l))
                                           : place(w, a, total, space, Use::write, l);
    for (unsigned v = 0; v < i.vec; ++v)
      std::memcpy(to + v * Bytes, x.reg<std::byte>(i.list[v]) + l * Bytes, Bytes);
    note_generic_write(w, a, space, total, l);
  }
}

Handler load_handler(unsigned bytes) {
  return bytes == 1 ? &load<1> : bytes == 2 ? &load<2> : bytes == 4 ? &load<4> : bytes == 8 ? &load<8> : &load<16>;
}
Handler store_handler(unsigned bytes) {
  return bytes == 1 ? &store<1> : bytes == 2 ? &store<2> : bytes == 4 ? &store<4> : bytes == 8 ? &store<8> : &store<16>;
}

void nothing(Exec &, const Inst &, uint32_t) {}

/// All that ld and st share but the registers.
Inst access(Decoder &d, const Operand &address, Type &type) {
  Inst i;
  Space space = take_state_space(d, address);
  i.space = static_cast<uint8_t>(space);
  if (take_order(d))
    i.flags |= kPolling;
  d.take_cache_hints();
  int v = d.take_any({".v2", ".v4", ".v8"});
  i.vec = static_cast<uint8_t>(v < 0 ? 1 : 2 << v);
  type = d.take_type();
  if (type == Type::none || type == Type::pred)
    d.refuse("it has no type of memory");
  i.bytes = static_cast<uint8_t>(ptx::bits_of(type) / 8);
  if (i.bytes * i.vec > 32)
    d.refuse("a vector of more than 32 bytes");
  i.addr = d.address(address);
  return i;
}

} // namespace

void note_generic_write(Warp &w, uint64_t address, Space space, unsigned bytes, unsigned lane) {
  if (!w.cta->proxy.on())
    return;
  bool shared = space == Space::shared || space == Space::shared_cluster ||
                (space == Space::generic && (address & kWindowBits) == kSharedWindow);
  if (!shared || ((address & ~kWindowBits) >> kRankShift) != w.cta->rank)
    return;
  w.cta->proxy.wrote(static_cast<uint32_t>(address & 0xffffff), bytes, w.thread_index(lane), w.now->line);
}

Space take_state_space(Decoder &d, const Operand &address) {
  std::string_view rest;
  if (d.take(".global"))
    return Space::global;
  if (d.take_prefix(".shared", rest))
    return rest == "::cluster" ? Space::shared_cluster : Space::shared;
  if (d.take(".local"))
    return Space::local;
  if (d.take(".const"))
    return Space::global;
  if (d.take_prefix(".param", rest)) {
    bool variable = address.kind == OperandKind::address && address.parts[0].kind == OperandKind::name &&
                    d.space_of_name(address.parts[0].name) == Space::local;
    return variable ? Space::local : Space::param;
  }
  return Space::generic;
}

bool take_order(Decoder &d) {
  bool ordered = d.take_any({".volatile", ".relaxed", ".acquire", ".release", ".acq_rel", ".mmio"}) >= 0;
  (void)d.take_any({".cta", ".cluster", ".gpu", ".sys"});
  (void)d.take(".weak");
  return ordered;
}

void decode_ld(Decoder &d) {
  Type type;
  const Operand &address = d.operand(1);
  Inst i = access(d, address, type);
  std::vector<Slot> to = d.def_vector(d.operand(0), type);
  if (to.size() != i.vec)
    d.refuse("the vector has " + std::to_string(to.size()) + " registers");
  i.list = d.keep(std::move(to));
  i.list_count = i.vec;
  i.run = load_handler(i.bytes);
  if (d.operands() == 3) // a cache policy
    (void)d.use(2, Type::b64);
  d.emit(i);
}

void decode_st(Decoder &d) {
  if (d.take(".async"))
    return decode_async_store(d, false);
  if (d.take(".bulk"))
    return decode_bulk_zeros(d);
  Type type;
  Inst i = access(d, d.operand(0), type);
  std::vector<Slot> from = d.use_vector(d.operand(1), type);
  if (from.size() != i.vec)
    d.refuse("the vector has " + std::to_string(from.size()) + " registers");
  i.list = d.keep(std::move(from));
  i.list_count = i.vec;
  i.run = store_handler(i.bytes);
  if (d.operands() == 3)
    (void)d.use(2, Type::b64);
  d.emit(i);
}

void decode_prefetch(Decoder &d) {
  (void)d.take_any({".global", ".local", ".const", ".param"});
  (void)d.take(".tensormap");
  (void)d.take_any({".L1", ".L2"});
  d.take_cache_hints();
  (void)d.address(d.operand(0));
  d.emit_run(&nothing, {});
}

} // namespace tegula::emulator
