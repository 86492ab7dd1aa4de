// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The slow and the faulting half of memory access.
#include "runtime/emulator/machine/access.h"

#include <cstdio>

namespace tegula::emulator {
namespace {
std::string hex(uint64_t v) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(v));
  return text;
}
} // namespace

void fault_misaligned(const Warp &w, uint64_t address, uint32_t bytes, const char *space, int lane) {
  w.fault(FindingKind::misaligned,
          std::string(space) + " address " + hex(address) + " is not a multiple of the access's " +
              std::to_string(bytes) + " bytes",
          lane);
}

SharedPlace shared_place(const Warp &w, uint64_t address, uint32_t bytes, int lane) {
  uint64_t rank = (address & ~kWindowBits) >> kRankShift;
  auto offset = static_cast<uint32_t>(address & ((1u << kRankShift) - 1));
  Cta *cta = w.cta;
  if (rank != cta->rank) {
    if (rank >= w.cluster->ctas.size())
      w.fault(FindingKind::out_of_bounds,
              "shared address " + hex(address) + " belongs to no CTA of the cluster (of " +
                  std::to_string(w.cluster->ctas.size()) + ")",
              lane);
    cta = w.cluster->ctas[rank].get();
    if (cta->live_warps == 0)
      w.fault(FindingKind::cluster_peer,
              "shared memory of CTA " + std::to_string(rank) + " of the cluster, which has exited", lane);
  }
  if (offset < kSharedReserved || offset + uint64_t{bytes} > cta->shared_bytes)
    w.fault(FindingKind::out_of_bounds,
            "shared address " + hex(address) + " (" + std::to_string(bytes) + " bytes) is outside the CTA's " +
                hex(kSharedReserved) + " to " + hex(cta->shared_bytes) +
                (offset >= cta->shared_bytes ? ", " + std::to_string(offset - cta->shared_bytes) + " bytes past the end"
                                             : ""),
            lane);
  return {cta, offset};
}

std::byte *global_slow(Warp &w, uint64_t address, uint32_t bytes, Use use, int lane) {
  GlobalMemory &m = *w.launch->memory;
  auto a = m.find(address);
  if (!a || !a->live || bytes > a->bytes - (address - a->base))
    w.fault(a && !a->live ? FindingKind::use_after_free : FindingKind::out_of_bounds,
            std::string(use == Use::read ? "read" : "write") + " of " + std::to_string(bytes) + " bytes at " +
                hex(address) + ", " + m.describe(a && a->live ? address + bytes - 1 : address),
            lane);
  if (a->read_only) {
    if (use == Use::write)
      w.fault(FindingKind::write_to_constant, "write to " + a->name + ", which is constant", lane);
    return reinterpret_cast<std::byte *>(address);
  }
  w.range_lo = a->base;
  w.range_hi = a->base + a->bytes;
  return reinterpret_cast<std::byte *>(address);
}

std::byte *place(Warp &w, uint64_t address, uint32_t bytes, ptx::Space space, Use use, unsigned lane) {
  using ptx::Space;
  auto at = static_cast<int>(lane);
  if (space == Space::generic) {
    uint64_t window = address & kWindowBits;
    space = window == kSharedWindow  ? Space::shared
            : window == kLocalWindow ? Space::local
            : window == kParamWindow ? Space::param
                                     : Space::global;
  }
  switch (space) {
  case Space::shared:
  case Space::shared_cluster: return shared_place(w, address, bytes, at).data();
  case Space::local: return w.local_at(lane, address & ~kWindowBits, bytes);
  case Space::param: {
    uint64_t offset = address & ~kWindowBits;
    if (use == Use::write)
      w.fault(FindingKind::write_to_constant, "write to a kernel parameter", at);
    if (offset > w.launch->params.size() || bytes > w.launch->params.size() - offset)
      w.fault(FindingKind::out_of_bounds, "offset " + std::to_string(offset) + " is outside the kernel's parameters",
              at);
    return w.launch->params.data() + offset;
  }
  default: return global_place(w, address, bytes, use, at);
  }
}

} // namespace tegula::emulator
