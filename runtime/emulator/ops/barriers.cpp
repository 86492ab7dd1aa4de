// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named barriers, the cluster barrier, bar.warp.sync, and fences.
#include "runtime/emulator/machine/barrier.h"

#include "runtime/emulator/machine/machine.h"
#include "runtime/emulator/ops/decoders.h"
#include "runtime/emulator/ops/tensor_maps.h"
#include "runtime/emulator/program/decoder.h"

#include <atomic>

namespace tegula::emulator {
namespace {

enum class Kind : uint8_t { sync, arrive, red_popc, red_and, red_or };

void arrive(Warp &w, Group &g, NamedBarrier &b, uint32_t id, uint32_t count) {
  if (count % kLanes != 0)
    w.report(FindingKind::barrier_misuse, "barrier " + std::to_string(id) + " with a count of " +
                                              std::to_string(count) + " threads, which is no multiple of 32");
  if (b.in_use && b.expected != count)
    w.report(FindingKind::barrier_misuse, "barrier " + std::to_string(id) + " with a count of " +
                                              std::to_string(count) + " threads, while PTX line " +
                                              std::to_string(b.line) + " arrived for " + std::to_string(b.expected));
  if (b.arrived[w.index] & g.mask)
    w.report(FindingKind::barrier_misuse, "barrier " + std::to_string(id) +
                                              ": the warp arrives again before the phase of its first arrival is over");
  b.in_use = true;
  b.expected = count;
  b.line = w.now->line;
  b.arrived[w.index] |= g.mask;
}

After barrier_control(Warp &w, Group &g, const Inst &i) {
  auto lane = static_cast<unsigned>(std::countr_zero(g.mask));
  uint32_t id = w.reg<uint32_t>(i.s[0])[lane];
  uint32_t count = i.flags & 1 ? w.reg<uint32_t>(i.s[1])[lane] : 0;
  if (id >= 16)
    w.fault(FindingKind::barrier_misuse, "barrier " + std::to_string(id) + "; a CTA has 16, 0 to 15",
            static_cast<int>(lane));
  NamedBarrier &b = w.cta->barriers[id];
  auto kind = static_cast<Kind>(i.mode);
  if (!g.attempted) {
    arrive(w, g, b, id, count);
    if (kind >= Kind::red_popc) {
      uint32_t yes = w.pred(i.s[2]) & g.mask;
      b.votes_and &= yes == g.mask;
      b.votes_or |= yes != 0;
      b.votes_count += static_cast<uint32_t>(std::popcount(yes));
    }
    g.attempted = true;
    g.token = b.phase;
    g.waits_for = "a named barrier";
    complete_if_full(*w.cta, b);
    ++w.cluster->events;
  }
  if (kind == Kind::arrive)
    return After::next;
  if (b.phase == g.token)
    return After::blocked;
  for (unsigned l = 0; l < kLanes; ++l)
    if (kind == Kind::red_popc && g.mask >> l & 1)
      w.reg<uint32_t>(i.d)[l] = b.last_count;
  if (kind > Kind::red_popc) {
    uint32_t &p = w.pred(i.d);
    p = (p & ~g.mask) | ((kind == Kind::red_and ? b.last_and : b.last_or) ? g.mask : 0);
  }
  return After::next;
}

After warp_sync(Warp &w, Group &g, const Inst &i) {
  if (!g.attempted) {
    g.attempted = true;
    g.waits_for = "other lanes at bar.warp.sync";
    w.syncwarp_arrived |= g.mask;
  }
  if ((w.syncwarp_released & g.mask) == g.mask) {
    w.syncwarp_released &= ~g.mask;
    return After::next;
  }
  const uint32_t *member = w.reg<uint32_t>(i.s[0]);
  uint32_t needed = 0;
  for (unsigned l = 0; l < kLanes; ++l)
    if (g.mask >> l & 1)
      needed |= member[l] & w.live;
  needed |= g.mask;
  if ((w.syncwarp_arrived & needed) != needed)
    return After::blocked;
  w.syncwarp_arrived &= ~needed;
  w.syncwarp_released |= needed & ~g.mask;
  for (Group &other : w.groups)
    other.blocked = false;
  return After::next;
}

After cluster_arrive(Warp &w, Group &g, const Inst &) {
  w.cluster_phase = w.cluster->barrier_phase;
  w.cluster->arrive_cluster_barrier(static_cast<uint32_t>(std::popcount(g.mask)));
  return After::next;
}

After cluster_wait(Warp &w, Group &g, const Inst &) {
  g.attempted = true;
  g.waits_for = "the cluster barrier";
  return w.cluster->barrier_phase == w.cluster_phase ? After::blocked : After::next;
}

void full_fence(Exec &, const Inst &, uint32_t) { std::atomic_thread_fence(std::memory_order_seq_cst); }

void proxy_fence(Exec &x, const Inst &, uint32_t mask) {
  auto &w = static_cast<Warp &>(x);
  if (!w.cta->proxy.on())
    return;
  for (unsigned l = 0; l < kLanes; ++l)
    if (mask >> l & 1)
      w.cta->proxy.fenced(w.thread_index(l));
}

void decode_cluster_barrier(Decoder &d) {
  int kind = d.take_any({".arrive", ".wait"});
  (void)d.take_any({".release", ".relaxed", ".acquire"});
  Inst i;
  if (d.take(".aligned"))
    i.converge = Converge::aligned;
  i.control = kind == 0 ? &cluster_arrive : &cluster_wait;
  d.emit(i);
}

} // namespace

void decode_bar(Decoder &d) {
  if (d.take(".cluster"))
    return decode_cluster_barrier(d);
  Inst i;
  if (d.take(".warp")) {
    (void)d.take(".sync");
    i.control = &warp_sync;
    i.s[0] = d.use(0, Type::b32);
    return d.emit(i);
  }
  (void)d.take(".cta");
  (void)d.take(".aligned");
  int kind = d.take_any({".sync", ".arrive", ".red"});
  size_t at = 0;
  if (kind == 2) {
    int op = d.take_any({".popc", ".and", ".or"});
    (void)d.take_type();
    i.mode = static_cast<uint8_t>(static_cast<int>(Kind::red_popc) + op);
    i.d = op == 0 ? d.def(0, Type::u32) : d.def_pred(d.operand(0));
    i.s[2] = d.use_pred(d.operand(d.operands() - 1));
    at = 1;
  } else if (kind >= 0) {
    i.mode = static_cast<uint8_t>(kind);
  } else {
    d.refuse("this form is not emulated");
  }
  i.control = &barrier_control;
  i.s[0] = d.use(at, Type::u32);
  if (d.operands() - at - (kind == 2) > 1) {
    i.s[1] = d.use(at + 1, Type::u32);
    i.flags = 1;
  }
  d.emit(i);
}

void decode_fence(Decoder &d) {
  std::string_view rest;
  Inst i;
  i.run = &full_fence;
  if (d.take(".proxy")) {
    bool async = d.take_any({".async", ".async.shared::cta"}) >= 0;
    std::string_view form;
    if (!async && d.take_prefix(".async::generic", form))
      async = true;
    bool map = d.take(".tensormap::generic");
    bool known = async || map || d.take(".alias");
    if (!known)
      d.refuse("this proxy fence is not emulated");
    (void)d.take_any({".global", ".shared::cta", ".shared::cluster", ".shared"});
    int order = d.take_any({".acquire", ".release"});
    (void)d.take_any({".sync_restrict::shared::cta", ".sync_restrict::shared::cluster"});
    (void)d.take_any({".cta", ".cluster", ".gpu", ".sys"});
    if (async)
      i.run = &proxy_fence;
    if (map)
      i.run = order == 0 ? &tensor_map_acquire : &tensor_map_release;
    if (map && order == 0)
      d.expect_operands(2, 2); // the map and its size
    if (d.operands() > 0)
      i.addr = d.address(d.operand(0));
    return d.emit(i);
  }
  (void)d.take(".mbarrier_init");
  (void)d.take_any({".sc", ".acq_rel", ".acquire", ".release"});
  (void)d.take_any({".sync_restrict::shared::cta", ".sync_restrict::shared::cluster"});
  (void)d.take_any({".cta", ".cluster", ".gpu", ".gl", ".sys"});
  (void)rest;
  d.emit(i);
}

} // namespace tegula::emulator
