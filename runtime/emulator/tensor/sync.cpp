// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tcgen05.commit, wait and fence.
#include "runtime/emulator/async/mbarrier.h"
#include "runtime/emulator/machine/access.h"
#include "runtime/emulator/tensor/decoders.h"
#include "runtime/emulator/tensor/pair.h"

namespace tegula::emulator {
namespace {

/// Where a commit arrives, and for whom.
struct Commit {
  Warp *warp = nullptr;
  const Inst *inst = nullptr;
  unsigned lane = 0;
  Cta *cta = nullptr;
  uint32_t offset = 0;
  bool multicast = false;
  uint32_t mask = 0;
  std::vector<uint32_t> covers; // operations of the thread that end with it
};

void arrive(const Commit &c, Cta &cta) {
  Warp &w = *c.warp;
  const Inst *now = w.now;
  w.now = c.inst; // what the arrival reports is about the commit
  mbarrier_arrive(&w, cta, c.offset, 1, 0, static_cast<int>(c.lane));
  w.now = now;
}

void perform(const Commit &c) {
  for (uint32_t id : c.covers)
    c.cta->tensor->order.done(id);
  if (!c.multicast)
    return arrive(c, *c.cta);
  auto &ctas = c.warp->cluster->ctas;
  for (uint32_t r = 0; r < 16; ++r)
    if (c.mask >> r & 1)
      arrive(c, *ctas[r]);
}

void commit_lane(Warp &w, const Inst &i, unsigned l) {
  TensorPair &pair = tensor_pair(*w.cta);
  auto lane = static_cast<int>(l);
  if (i.mode == 2)
    need_peer(w, pair, "tcgen05.commit", lane);
  uint64_t address = address_of(w, i.addr, l);
  MbarrierRef bar = locate_mbarrier(w, address, lane);
  Commit c;
  c.warp = &w;
  c.inst = &i;
  c.lane = l;
  c.cta = i.flags ? w.cta : bar.cta;
  c.offset = bar.offset;
  c.multicast = i.flags != 0;
  if (c.multicast) {
    c.mask = w.reg<uint16_t>(i.s[0])[l];
    if (c.mask == 0 || c.mask >> w.cluster->ctas.size())
      w.fault(FindingKind::cluster_peer,
              "tcgen05.commit to the CTA mask " + std::to_string(c.mask) + " in a cluster of " +
                  std::to_string(w.cluster->ctas.size()),
              lane);
  }
  c.covers = pair.order.take_uncommitted(w, l);
  pair.order.fence_before(w);
  pair.submit(*w.cluster, "tcgen05.commit", [c = std::move(c)] { perform(c); });
}

void commit(Exec &x, const Inst &i, uint32_t mask) {
  need_one_thread(static_cast<Warp &>(x), mask, "tcgen05.commit");
  for (unsigned l = 0; l < kLanes; ++l)
    if (mask >> l & 1)
      commit_lane(static_cast<Warp &>(x), i, l);
}

/// mode: 0 ::ld, 1 ::st
void wait(Exec &x, const Inst &i, uint32_t) {
  auto &w = static_cast<Warp &>(x);
  tensor_pair(*w.cta).order.wait(w, i.mode ? TensorKind::st : TensorKind::ld);
}

/// mode: 0 before, 1 after
void fence(Exec &x, const Inst &i, uint32_t) {
  auto &w = static_cast<Warp &>(x);
  TensorOrder &order = tensor_pair(*w.cta).order;
  i.mode ? order.fence_after(w) : order.fence_before(w);
}

void decode_commit(Decoder &d) {
  Inst i;
  i.run = &commit;
  i.mode = static_cast<uint8_t>(take_cta_group(d));
  if (!d.take(".mbarrier::arrive::one"))
    d.refuse("it needs .mbarrier::arrive::one");
  (void)d.take(".shared::cluster");
  i.flags = d.take(".multicast::cluster");
  if (!d.take(".b64"))
    d.refuse("it needs .b64");
  d.expect_operands(i.flags ? 2 : 1, i.flags ? 2 : 1);
  i.addr = d.address(d.operand(0));
  if (i.flags)
    i.s[0] = d.use(1, Type::b16);
  d.emit(i);
}

} // namespace

void decode_tensor_sync(Decoder &d) {
  if (d.take(".commit"))
    return decode_commit(d);
  Inst i;
  if (int which = d.take_any({".wait::ld", ".wait::st"}); which >= 0) {
    if (!d.take(".sync") || !d.take(".aligned"))
      d.refuse("it needs .sync.aligned");
    i.converge = Converge::aligned;
    i.run = &wait;
    i.mode = static_cast<uint8_t>(which);
  } else {
    i.run = &fence;
    i.mode = static_cast<uint8_t>(d.take_any({".fence::before_thread_sync", ".fence::after_thread_sync"}));
  }
  d.expect_operands(0, 0);
  d.emit(i);
}

} // namespace tegula::emulator
