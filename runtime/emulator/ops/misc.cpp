// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Register budgets, dependent launch, sleep, addresses in a cluster, cache policies.
#include "runtime/emulator/machine/access.h"
#include "runtime/emulator/ops/decoders.h"
#include "runtime/emulator/ops/memory.h"
#include "runtime/emulator/program/decoder.h"

namespace tegula::emulator {
namespace {

After setmaxnreg(Warp &w, Group &g, const Inst &i) {
  uint32_t want = i.target;
  if (want <= w.registers) {
    w.cta->free_registers += (w.registers - want) * kLanes;
    ++w.cluster->events;
  } else {
    uint32_t more = (want - w.registers) * kLanes;
    if (more > w.cta->free_registers) {
      g.attempted = true;
      g.waits_for = "registers that setmaxnreg.dec frees";
      return After::blocked;
    }
    w.cta->free_registers -= more;
  }
  w.registers = want;
  return After::next;
}

void nothing(Exec &, const Inst &, uint32_t) {}

void sleep(Exec &x, const Inst &, uint32_t) { static_cast<Warp &>(x).polling = true; }

/// flags: 1 the operand is generic. The address of the same place in another CTA of the cluster.
template <class T> void mapa(Exec &x, const Inst &i, uint32_t mask) {
  auto &w = static_cast<Warp &>(x);
  const T *a = x.reg<T>(i.s[0]);
  const uint32_t *rank = x.reg<uint32_t>(i.s[1]);
  T *d = x.reg<T>(i.d);
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1))
      continue;
    if (rank[l] >= w.cluster->ctas.size())
      w.fault(FindingKind::cluster_peer,
              "mapa to CTA " + std::to_string(rank[l]) + " of a cluster of " + std::to_string(w.cluster->ctas.size()),
              static_cast<int>(l));
    uint64_t window = i.flags & 1 ? kSharedWindow : 0;
    d[l] = static_cast<T>(window | uint64_t{rank[l]} << kRankShift | (a[l] & 0xffffff));
  }
}

template <class T> void rank_of(Exec &x, const Inst &i, uint32_t mask) {
  const T *a = x.reg<T>(i.s[0]);
  for (unsigned l = 0; l < kLanes; ++l)
    if (mask >> l & 1)
      x.reg<uint32_t>(i.d)[l] = static_cast<uint32_t>((uint64_t{a[l]} & ~kWindowBits) >> kRankShift);
}

void zero64(Exec &x, const Inst &i, uint32_t mask) {
  for (unsigned l = 0; l < kLanes; ++l)
    if (mask >> l & 1)
      x.reg<uint64_t>(i.d)[l] = 0;
}

} // namespace

void decode_setmaxnreg(Decoder &d) {
  (void)d.take_any({".inc", ".dec"});
  (void)d.take(".sync");
  (void)d.take(".aligned");
  (void)d.take_type();
  Inst i;
  i.control = &setmaxnreg;
  i.converge = Converge::aligned;
  int64_t n = d.literal(d.operand(0));
  if (n < 24 || n > 256 || n % 8)
    d.refuse("the register count must be a multiple of 8 from 24 to 256");
  i.target = static_cast<uint32_t>(n);
  d.emit(i);
}

void decode_griddepcontrol(Decoder &d) {
  if (d.take_any({".launch_dependents", ".wait"}) < 0)
    d.refuse("it needs .launch_dependents or .wait");
  d.emit_run(&nothing, {});
}

void decode_nanosleep(Decoder &d) {
  (void)d.take_type();
  Slot t = d.use(0, Type::u32);
  d.emit_run(&sleep, {}, t);
}

void decode_pmevent(Decoder &d) {
  (void)d.take(".mask");
  d.emit_run(&nothing, {});
}

void decode_mapa(Decoder &d) {
  std::string_view space;
  bool shared = d.take_prefix(".shared", space);
  Type t = d.take_type();
  Inst i;
  i.run = ptx::bits_of(t) == 64 ? &mapa<uint64_t> : &mapa<uint32_t>;
  i.flags = !shared;
  i.s[0] = d.use(1, t);
  i.s[1] = d.use(2, Type::u32);
  i.d = d.def(0, t);
  d.emit(i);
}

void decode_getctarank(Decoder &d) {
  std::string_view space;
  (void)d.take_prefix(".shared", space);
  Type t = d.take_type();
  Slot a = d.use(1, t);
  d.emit_run(ptx::bits_of(t) == 64 ? &rank_of<uint64_t> : &rank_of<uint32_t>, d.def(0, Type::u32), a);
}

void decode_createpolicy(Decoder &d) {
  (void)d.take_any({".fractional", ".range", ".cvt"});
  d.take_cache_hints();
  (void)d.take(".global");
  (void)d.take_type();
  d.emit_run(&zero64, d.def(0, Type::b64));
}

} // namespace tegula::emulator
