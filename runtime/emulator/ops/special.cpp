// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Special registers: who a thread is, where its CTA lies in cluster and grid, clocks, lane masks.
#include "runtime/emulator/ops/special.h"

#include "runtime/emulator/machine/machine.h"

#include <chrono>
#include <unordered_map>

namespace tegula::emulator {
namespace {

template <class T, class F> void each(Exec &x, const Inst &i, uint32_t mask, F f) {
  T *d = x.reg<T>(i.d);
  auto &w = static_cast<Warp &>(x);
  for (unsigned l = 0; l < kLanes; ++l)
    if (mask >> l & 1)
      d[l] = static_cast<T>(f(w, l));
}
template <auto F> void reg32(Exec &x, const Inst &i, uint32_t mask) { each<uint32_t>(x, i, mask, F); }
template <auto F> void reg64(Exec &x, const Inst &i, uint32_t mask) { each<uint64_t>(x, i, mask, F); }

Dim3 in_cluster(const Warp &w) {
  const Dim3 &c = w.launch->cluster;
  uint32_t r = w.cta->rank;
  return {r % c.x, r / c.x % c.y, r / c.x / c.y};
}

uint64_t global_nanoseconds() {
  return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

void is_explicit_cluster(Exec &x, const Inst &i, uint32_t mask) {
  auto &w = static_cast<Warp &>(x);
  uint32_t &d = x.pred(i.d);
  d = w.launch->cluster.count() > 1 ? d | mask : d & ~mask;
}

#define R32(name, expr)                                                                                                \
  {name,                                                                                                               \
   {&reg32<[](const Warp &w, unsigned l) -> uint64_t {                                                                 \
      (void)w;                                                                                                         \
      (void)l;                                                                                                         \
      return expr;                                                                                                     \
    }>,                                                                                                                \
    4}}
#define R64(name, expr)                                                                                                \
  {name,                                                                                                               \
   {&reg64<[](const Warp &w, unsigned l) -> uint64_t {                                                                 \
      (void)w;                                                                                                         \
      (void)l;                                                                                                         \
      return expr;                                                                                                     \
    }>,                                                                                                                \
    8}}

const std::unordered_map<std::string_view, SpecialRegister> &table() {
  static const std::unordered_map<std::string_view, SpecialRegister> t = {
      R32("%tid.x", w.tid[0][l]),
      R32("%tid.y", w.tid[1][l]),
      R32("%tid.z", w.tid[2][l]),
      R32("%tid", w.tid[0][l]),
      R32("%ntid.x", w.launch->block.x),
      R32("%ntid.y", w.launch->block.y),
      R32("%ntid.z", w.launch->block.z),
      R32("%ctaid.x", w.cta->id.x),
      R32("%ctaid.y", w.cta->id.y),
      R32("%ctaid.z", w.cta->id.z),
      R32("%nctaid.x", w.launch->grid.x),
      R32("%nctaid.y", w.launch->grid.y),
      R32("%nctaid.z", w.launch->grid.z),
      R32("%laneid", l),
      R32("%warpid", w.index),
      R32("%nwarpid", 64),
      R32("%nsmid", w.launch->sm_count),
      R32("%smid", (w.cta->id.x + w.cta->id.y * w.launch->grid.x) % w.launch->sm_count),
      R64("%gridid", 1),
      R32("%lanemask_eq", 1u << l),
      R32("%lanemask_lt", (1u << l) - 1),
      R32("%lanemask_le", (2ull << l) - 1),
      R32("%lanemask_gt", ~((2ull << l) - 1)),
      R32("%lanemask_ge", ~((1ull << l) - 1)),
      R32("%clock", w.instructions),
      R32("%clock_hi", w.instructions >> 32),
      R64("%clock64", w.instructions),
      R64("%globaltimer", global_nanoseconds()),
      R32("%globaltimer_lo", global_nanoseconds()),
      R32("%globaltimer_hi", global_nanoseconds() >> 32),
      R32("%cluster_ctaid.x", in_cluster(w).x),
      R32("%cluster_ctaid.y", in_cluster(w).y),
      R32("%cluster_ctaid.z", in_cluster(w).z),
      R32("%cluster_nctaid.x", w.launch->cluster.x),
      R32("%cluster_nctaid.y", w.launch->cluster.y),
      R32("%cluster_nctaid.z", w.launch->cluster.z),
      R32("%cluster_ctarank", w.cta->rank),
      R32("%cluster_nctarank", w.launch->cluster.count()),
      R32("%clusterid.x", w.cta->id.x / w.launch->cluster.x),
      R32("%clusterid.y", w.cta->id.y / w.launch->cluster.y),
      R32("%clusterid.z", w.cta->id.z / w.launch->cluster.z),
      R32("%nclusterid.x", w.launch->grid.x / w.launch->cluster.x),
      R32("%nclusterid.y", w.launch->grid.y / w.launch->cluster.y),
      R32("%nclusterid.z", w.launch->grid.z / w.launch->cluster.z),
      R32("%total_smem_size", w.cta->shared_bytes),
      R32("%aggr_smem_size", w.cta->shared_bytes),
      R32("%dynamic_smem_size", w.launch->dynamic_shared),
      R32("%reserved_smem_offset_begin", 0),
      R32("%reserved_smem_offset_end", kSharedReserved),
      R32("%reserved_smem_offset_cap", kSharedReserved),
      R32("%reserved_smem_offset_1", 0),
      R32("%envreg1", w.launch->environment[0] >> 32),
      R32("%envreg2", w.launch->environment[0] & 0xffffffff),
      R32("WARP_SZ", 32),
      {"%is_explicit_cluster", {&is_explicit_cluster, 0}},
  };
  return t;
}

} // namespace

SpecialRegister find_special(std::string_view name) {
  auto it = table().find(name);
  return it == table().end() ? SpecialRegister{} : it->second;
}

} // namespace tegula::emulator
