// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// clusterlaunchcontrol: a running cluster takes over one that has not started. The response is 16 bytes of an encoding
// of our own: magic number, x, y and z of the cluster's first CTA, and whether there was one.
#include "runtime/emulator/async/mbarrier.h"
#include "runtime/emulator/machine/access.h"
#include "runtime/emulator/ops/decoders.h"
#include "runtime/emulator/program/decoder.h"

#include <cstring>

namespace tegula::emulator {
namespace {

constexpr uint32_t kMagic = 0x434c4300;

struct Response {
  uint32_t tag = kMagic; // + 1 if a cluster was taken
  uint32_t x = 0, y = 0, z = 0;
};
static_assert(sizeof(Response) == 16);

struct Request {
  Warp *warp = nullptr;
  bool multicast = false;
  Cta *cta = nullptr;
  uint32_t slot = 0, barrier = 0;
};

void deliver(const Request &r, const Response &answer) {
  auto to = [&](Cta &cta) {
    std::memcpy(cta.shared + r.slot, &answer, sizeof answer);
    if (cta.proxy.on())
      cta.proxy.overwritten(r.slot, sizeof answer);
    mbarrier_complete_tx(cta, r.barrier, sizeof answer);
  };
  if (!r.multicast)
    return to(*r.cta);
  for (auto &cta : r.warp->cluster->ctas)
    to(*cta);
}

void perform(const Request &r) {
  Response answer;
  Dim3 first;
  Launch &launch = *r.warp->launch;
  // Other seeds than 0 refuse now and then, as a waiting grid of higher priority would make hardware do.
  bool refuse = launch.options.seed != 0 && r.warp->cluster->random() % 8 == 0;
  if (!refuse && launch.claim_cluster && launch.claim_cluster(first)) {
    ++answer.tag;
    answer.x = first.x;
    answer.y = first.y;
    answer.z = first.z;
  }
  deliver(r, answer);
}

/// flags: 1 multicast
void try_cancel(Exec &x, const Inst &i, uint32_t mask) {
  auto &w = static_cast<Warp &>(x);
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1))
      continue;
    auto lane = static_cast<int>(l);
    if (w.cluster->launch_control_refused)
      w.fault(FindingKind::launch_control,
              "clusterlaunchcontrol.try_cancel after this cluster has seen a request fail; that is undefined", lane);
    uint64_t a = address_of(x, i.addr, l);
    if (a & 15)
      fault_misaligned(w, a, 16, "clusterlaunchcontrol", lane);
    SharedPlace slot = shared_place(w, a, 16, lane);
    MbarrierRef bar = locate_mbarrier(w, address_of(x, i.addr2, l), lane);
    if (slot.cta != bar.cta)
      w.fault(FindingKind::launch_control, "the response and its mbarrier lie in different CTAs", lane);
    Request r{&w, (i.flags & 1) != 0, slot.cta, slot.offset, bar.offset};
    w.cluster->launch_async("clusterlaunchcontrol.try_cancel", [r] { perform(r); });
  }
}

Response response_of(Warp &w, Slot s, unsigned lane) {
  Response r;
  std::memcpy(&r, w.reg<std::byte>(s) + lane * sizeof r, sizeof r);
  if ((r.tag & ~1u) != kMagic)
    w.fault(FindingKind::launch_control,
            "clusterlaunchcontrol.query_cancel of 16 bytes that no try_cancel wrote; wait on its mbarrier first",
            static_cast<int>(lane));
  return r;
}

void is_canceled(Exec &x, const Inst &i, uint32_t mask) {
  auto &w = static_cast<Warp &>(x);
  uint32_t yes = 0;
  for (unsigned l = 0; l < kLanes; ++l)
    if (mask >> l & 1)
      yes |= (response_of(w, i.s[0], l).tag & 1) << l;
  if (yes != mask)
    w.cluster->launch_control_refused = true;
  uint32_t &p = x.pred(i.d);
  p = (p & ~mask) | yes;
}

/// mode: 0 x, 1 y, 2 z, 3 all of them and a fourth register that means nothing
void first_cta(Exec &x, const Inst &i, uint32_t mask) {
  auto &w = static_cast<Warp &>(x);
  for (unsigned l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1))
      continue;
    Response r = response_of(w, i.s[0], l);
    if (!(r.tag & 1))
      w.fault(FindingKind::launch_control,
              "get_first_ctaid of a request that failed; ask is_canceled first, its result is undefined otherwise",
              static_cast<int>(l));
    const uint32_t value[] = {r.x, r.y, r.z, 0};
    for (unsigned n = 0; n < i.list_count; ++n)
      x.reg<uint32_t>(i.list[n])[l] = value[i.mode == 3 ? n : i.mode];
  }
}

void decode_try_cancel(Decoder &d) {
  Inst i;
  i.run = &try_cancel;
  if (!d.take(".async") || !d.take(".mbarrier::complete_tx::bytes"))
    d.refuse("it needs .async and .mbarrier::complete_tx::bytes");
  (void)d.take(".shared::cta");
  i.flags = d.take(".multicast::cluster::all");
  (void)d.take(".b128");
  d.expect_operands(2, 2);
  i.addr = d.address(d.operand(0));
  i.addr2 = d.address(d.operand(1));
  d.emit(i);
}

} // namespace

void decode_launch_control(Decoder &d) {
  if (d.program().target.rfind("sm_1", 0) != 0)
    d.refuse("it needs the target sm_100 or later, the module's is " + d.program().target);
  if (d.take(".try_cancel"))
    return decode_try_cancel(d);
  if (!d.take(".query_cancel"))
    d.refuse("this form is not emulated");
  Inst i;
  if (d.take(".is_canceled")) {
    (void)d.take(".pred");
    (void)d.take(".b128");
    i.run = &is_canceled;
    i.s[0] = d.use(1, Type::b128);
    i.d = d.def_pred(d.operand(0));
    return d.emit(i);
  }
  int part = d.take_any({".get_first_ctaid::x", ".get_first_ctaid::y", ".get_first_ctaid::z", ".get_first_ctaid"});
  if (part < 0 || (part == 3 && !d.take(".v4")))
    d.refuse("this query is not emulated");
  (void)d.take(".b32");
  (void)d.take(".b128");
  i.run = &first_cta;
  i.mode = static_cast<uint8_t>(part);
  i.s[0] = d.use(1, Type::b128);
  std::vector<Slot> to = d.def_vector(d.operand(0), Type::b32);
  if (to.size() != (part == 3 ? 4u : 1u))
    d.refuse("it has " + std::to_string(to.size()) + " result registers");
  i.list_count = static_cast<uint16_t>(to.size());
  i.list = d.keep(std::move(to));
  d.emit(i);
}

} // namespace tegula::emulator
