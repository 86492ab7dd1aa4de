// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The matrix products that a warp has issued and not yet waited for. Each warp owns 16 of the 64 rows, so that a warp's
// share needs nobody else.
#pragma once

#include "runtime/emulator/program/inst.h"

#include <deque>
#include <vector>

namespace tegula::emulator {

struct Frame;

struct WgmmaOp {
  const Inst *inst = nullptr;
  Frame *frame = nullptr;
  uint64_t a = 0, b = 0; // descriptors
  bool scale_d = true;
  uint32_t group = 0;
};

struct WgmmaQueue {
  std::deque<WgmmaOp> ops;
  uint32_t open_group = 0; // commits so far
  // For the checks, by register offset / 64: registers that belong to issued products; registers written since the last
  // wgmma.fence.
  std::vector<uint8_t> locked, dirty;
};

class Warp;

/// Performs the oldest products until only those of the newest `keep` committed groups are left.
void wgmma_finish(Warp &w, uint32_t keep);
/// Reports an instruction that touches a register of a product in flight, and notes what it writes.
void wgmma_watch(Warp &w, const Inst &i);
/// The oldest product in flight that reads any of these bytes of its CTA's shared memory; null if none does.
[[nodiscard]] const Inst *wgmma_reader(const Warp &w, uint32_t offset, uint32_t bytes);

} // namespace tegula::emulator
