// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a CTA has: its functions' constants with this CTA's addresses in them, and its named barriers.
#include "runtime/emulator/machine/barrier.h"
#include "runtime/emulator/machine/machine.h"

#include <algorithm>
#include <cstring>

namespace tegula::emulator {

std::byte *Cta::constants_of(const Function &f) {
  auto [it, fresh] = constants.try_emplace(&f);
  std::vector<std::byte> &bytes = it->second;
  if (fresh) {
    bytes.resize(f.constants.size() + 64);
    std::copy(f.constants.begin(), f.constants.end(), bytes.begin());
    for (const Relocation &r : f.relocations) {
      uint64_t value = launch->constant_value(r, rank);
      for (unsigned l = 0; l < kLanes; ++l)
        std::memcpy(&bytes[r.offset + l * r.bytes], &value, r.bytes);
    }
  }
  return bytes.data();
}

uint64_t Launch::constant_value(const Relocation &r, uint32_t rank) const {
  if (r.kind == Relocation::Kind::global)
    return loaded->global_address[r.symbol] + static_cast<uint64_t>(r.add);
  auto it = layout.offset.find(r.symbol);
  return (uint64_t{rank} << kRankShift) + (it == layout.offset.end() ? 0 : it->second) + static_cast<uint64_t>(r.add);
}

void Cta::check_barriers() {
  for (NamedBarrier &b : barriers)
    if (b.in_use)
      complete_if_full(*this, b);
}

/// Threads that have arrived; a warp all of whose live lanes are here counts whole, as on hardware.
static uint32_t arrived_threads(const Cta &cta, const NamedBarrier &b) {
  uint32_t count = 0;
  for (const auto &w : cta.warps) {
    uint32_t here = b.arrived[w->index];
    if (here)
      count += (here & w->live) == w->live ? kLanes : static_cast<uint32_t>(std::popcount(here));
  }
  return count;
}

bool complete_if_full(Cta &cta, NamedBarrier &b) {
  if (b.expected == 0) {
    for (const auto &w : cta.warps)
      if ((b.arrived[w->index] & w->live) != w->live)
        return false;
  } else if (arrived_threads(cta, b) < b.expected) {
    return false;
  }
  b.arrived.fill(0);
  b.in_use = false;
  b.last_and = b.votes_and;
  b.last_or = b.votes_or;
  b.last_count = b.votes_count;
  b.votes_and = 1;
  b.votes_or = b.votes_count = 0;
  ++b.phase;
  ++cta.cluster->events;
  return true;
}

} // namespace tegula::emulator
