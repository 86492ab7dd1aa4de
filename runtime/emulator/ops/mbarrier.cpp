// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mbarrier instructions: init, inval, arrive (here or in another CTA), expect_tx, complete_tx, the waits.
#include "runtime/emulator/async/mbarrier.h"

#include "runtime/emulator/machine/access.h"
#include "runtime/emulator/ops/decoders.h"
#include "runtime/emulator/ops/memory.h"
#include "runtime/emulator/program/decoder.h"

namespace tegula::emulator {

MbarrierRef locate_mbarrier(Warp &w, uint64_t address, int lane) {
  if (address & 7)
    fault_misaligned(w, address, 8, "mbarrier", lane);
  SharedPlace p = shared_place(w, address, 8, lane);
  return {p.cta, p.offset};
}

void mbarrier_complete_tx(Cta &cta, uint32_t offset, int32_t bytes) {
  Mbarrier m = Mbarrier::load(cta.shared + offset);
  m.tx -= bytes;
  m.settle();
  m.store(cta.shared + offset);
  ++cta.cluster->events;
}

Mbarrier mbarrier_arrive(Warp *w, Cta &cta, uint32_t offset, uint32_t count, int32_t expect, int lane) {
  Mbarrier m = Mbarrier::load(cta.shared + offset), before = m;
  if (w && !cta.mbarriers.count(offset))
    w->fault(FindingKind::mbarrier_misuse,
             "arrival at shared offset " + std::to_string(offset) + ", where no mbarrier has been initialised", lane);
  if (w && m.pending < count)
    w->fault(FindingKind::mbarrier_misuse,
             std::to_string(count) + " arrivals at the mbarrier at shared offset " + std::to_string(offset) +
                 ", whose phase expects " + std::to_string(m.pending) + " more of " + std::to_string(m.expected),
             lane);
  m.pending -= count;
  m.tx += expect;
  if (w && (m.tx > Mbarrier::kMaxTx || m.tx < -Mbarrier::kMaxTx))
    w->fault(FindingKind::mbarrier_misuse,
             "the mbarrier's byte count reaches " + std::to_string(m.tx) + ", beyond 2^20 - 1", lane);
  m.settle();
  m.store(cta.shared + offset);
  ++cta.cluster->events;
  return before;
}

namespace {

MbarrierRef located(Warp &w, const Inst &i, unsigned lane) {
  return locate_mbarrier(w, address_of(w, i.addr, lane), static_cast<int>(lane));
}

template <class F> void each(Exec &x, uint32_t mask, F f) {
  for (unsigned l = 0; l < kLanes; ++l)
    if (mask >> l & 1)
      f(static_cast<Warp &>(x), l);
}

void init(Exec &x, const Inst &i, uint32_t mask) {
  each(x, mask, [&](Warp &w, unsigned l) {
    MbarrierRef r = located(w, i, l);
    uint32_t count = x.reg<uint32_t>(i.s[0])[l];
    if (count == 0 || count > Mbarrier::kMaxCount)
      w.fault(FindingKind::mbarrier_misuse,
              "mbarrier.init with a count of " + std::to_string(count) + "; 1 to 2^20 - 1 is allowed",
              static_cast<int>(l));
    Mbarrier m;
    m.pending = m.expected = count;
    m.store(r.cta->shared + r.offset);
    r.cta->mbarriers.insert(r.offset);
    ++w.cluster->events;
  });
}

void inval(Exec &x, const Inst &i, uint32_t mask) {
  each(x, mask, [&](Warp &w, unsigned l) {
    MbarrierRef r = located(w, i, l);
    r.cta->mbarriers.erase(r.offset);
  });
}

enum : uint32_t { kResult = 1, kDrop = 2, kExpect = 4, kCount = 8, kNoComplete = 16 };

void arrive(Exec &x, const Inst &i, uint32_t mask) {
  each(x, mask, [&](Warp &w, unsigned l) {
    MbarrierRef r = located(w, i, l);
    uint32_t count = i.flags & kCount ? x.reg<uint32_t>(i.s[0])[l] : 1;
    auto expect = i.flags & kExpect ? x.reg<int32_t>(i.s[1])[l] : 0;
    if (i.flags & kDrop) {
      Mbarrier m = Mbarrier::load(r.cta->shared + r.offset);
      m.expected -= std::min(count, m.expected);
      m.store(r.cta->shared + r.offset);
    }
    Mbarrier before = mbarrier_arrive(&w, *r.cta, r.offset, count, expect, static_cast<int>(l));
    if (i.flags & kResult)
      x.reg<uint64_t>(i.d)[l] = before.pack();
  });
}

/// mode: 1 complete_tx, 0 expect_tx
void transaction(Exec &x, const Inst &i, uint32_t mask) {
  each(x, mask, [&](Warp &w, unsigned l) {
    MbarrierRef r = located(w, i, l);
    auto bytes = x.reg<int32_t>(i.s[0])[l];
    if (i.mode)
      mbarrier_complete_tx(*r.cta, r.offset, bytes);
    else
      mbarrier_arrive(&w, *r.cta, r.offset, 0, bytes, static_cast<int>(l));
  });
}

void pending_count(Exec &x, const Inst &i, uint32_t mask) {
  each(x, mask,
       [&](Warp &, unsigned l) { x.reg<uint32_t>(i.d)[l] = Mbarrier::unpack(x.reg<uint64_t>(i.s[0])[l]).pending; });
}

/// mode: 1 the operand is a parity, 0 it is a state. Waits until the phase is over or nothing else can go on.
After wait(Warp &w, Group &g, const Inst &i) {
  uint32_t done = 0;
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(g.mask >> l & 1))
      continue;
    MbarrierRef r = located(w, i, l);
    if (!r.cta->mbarriers.count(r.offset))
      w.fault(FindingKind::mbarrier_misuse,
              "wait on shared offset " + std::to_string(r.offset) + ", where no mbarrier has been initialised",
              static_cast<int>(l));
    Mbarrier m = Mbarrier::load(r.cta->shared + r.offset);
    uint32_t parity = i.mode ? w.reg<uint32_t>(i.s[0])[l] & 1 : Mbarrier::unpack(w.reg<uint64_t>(i.s[0])[l]).parity;
    done |= static_cast<uint32_t>(m.parity != parity) << l;
    g.wait_address = address_of(w, i.addr, l);
    g.wait_parity = parity;
  }
  bool timed_out = g.attempted && w.cluster->releasing();
  if (done != g.mask && !timed_out) {
    g.attempted = true;
    g.waits_for = "an mbarrier";
    return After::blocked;
  }
  if (done == g.mask)
    g.wait_address = 0;
  uint32_t &p = w.pred(i.d);
  p = (p & ~g.mask) | done;
  return After::next;
}

void decode_arrive(Decoder &d, bool drop) {
  Inst i;
  i.run = &arrive;
  bool expect = d.take(".expect_tx");
  i.flags = (drop ? kDrop : 0) | (expect ? kExpect : 0) | (d.take(".noComplete") ? kNoComplete : 0);
  (void)d.take_any({".release", ".relaxed"});
  (void)d.take_any({".cta", ".cluster"});
  std::string_view space;
  (void)d.take_prefix(".shared", space);
  (void)d.take_type();
  size_t at = 1;
  if (d.operand(0).kind == OperandKind::address) // without a result
    at = 0;
  else if (d.operand(0).kind != OperandKind::sink) {
    i.d = d.def(0, Type::b64);
    i.flags |= kResult;
  }
  i.addr = d.address(d.operand(at));
  if (expect)
    i.s[1] = d.use(at + 1, Type::b32);
  else if (d.operands() > at + 1) {
    i.s[0] = d.use(at + 1, Type::b32);
    i.flags |= kCount;
  }
  d.emit(i);
}

void decode_wait(Decoder &d) {
  Inst i;
  i.control = &wait;
  i.mode = d.take(".parity");
  (void)d.take_any({".acquire", ".relaxed"});
  (void)d.take_any({".cta", ".cluster"});
  std::string_view space;
  (void)d.take_prefix(".shared", space);
  (void)d.take_type();
  d.expect_operands(3, 4);
  i.addr = d.address(d.operand(1));
  i.s[0] = i.mode ? d.use(2, Type::b32) : d.use(2, Type::b64);
  if (d.operands() == 4) // the suspend-time hint
    (void)d.use(3, Type::b32);
  i.d = d.def_pred(d.operand(0));
  d.emit(i);
}

} // namespace

void decode_mbarrier(Decoder &d) {
  int op = d.take_any({".init", ".inval", ".arrive", ".arrive_drop", ".try_wait", ".test_wait", ".expect_tx",
                       ".complete_tx", ".pending_count"});
  std::string_view space;
  Inst i;
  switch (op) {
  case 2:
  case 3: return decode_arrive(d, op == 3);
  case 4:
  case 5: return decode_wait(d);
  case 0:
  case 1:
    (void)d.take_prefix(".shared", space);
    (void)d.take_type();
    i.run = op == 0 ? &init : &inval;
    i.addr = d.address(d.operand(0));
    if (op == 0)
      i.s[0] = d.use(1, Type::b32);
    return d.emit(i);
  case 6:
  case 7:
    (void)d.take(".relaxed");
    (void)d.take_any({".cta", ".cluster"});
    (void)d.take_prefix(".shared", space);
    (void)d.take_type();
    i.run = &transaction;
    i.mode = op == 7;
    i.addr = d.address(d.operand(0));
    i.s[0] = d.use(1, Type::b32);
    return d.emit(i);
  case 8:
    (void)d.take_type();
    i.run = &pending_count;
    i.s[0] = d.use(1, Type::b64);
    i.d = d.def(0, Type::b32);
    return d.emit(i);
  default: d.refuse("this mbarrier operation is not emulated");
  }
}

} // namespace tegula::emulator
