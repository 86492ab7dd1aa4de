// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What two CTAs of a pair share: their tensor memories, and the queue in which mma, cp, shift and commit run. A CTA
// without a peer is a pair of one.
#pragma once

#include "runtime/emulator/machine/machine.h"
#include "runtime/emulator/tensor/order.h"

#include <deque>

namespace tegula::emulator {

/// Columns that were allocated together.
struct TensorBlock {
  unsigned first = 0, columns = 0;
  unsigned ctas = 0;         // bit r: CTA r of the pair has these columns
  unsigned allocated_by = 0; // bit r: CTA r has run its tcgen05.alloc
  unsigned freed_by = 0;     // bit r: CTA r has run its tcgen05.dealloc
  uint32_t line = 0;
};

struct TensorPair {
  explicit TensorPair(bool strict) : order(strict) {}

  Cta *cta[2] = {nullptr, nullptr};
  TensorMemory memory[2];
  TensorOrder order;
  std::vector<TensorBlock> blocks;
  bool relinquished[2] = {false, false};
  unsigned last_columns[2] = {kTensorColumns, kTensorColumns};
  std::deque<std::function<void()>> queue;

  /// Runs later, behind everything that was submitted before.
  void submit(Cluster &cluster, const char *what, std::function<void()> run);
};

/// The pair of a CTA, made on first use.
TensorPair &tensor_pair(Cta &cta);
inline unsigned rank_in_pair(const Warp &w) { return w.cta->rank & 1; }
/// Reports an instruction of one thread that several lanes of a warp execute: each of them issues it.
void need_one_thread(const Warp &w, uint32_t mask, const char *what);
/// Faults if the instruction needs a peer CTA and there is none, or it has exited.
void need_peer(const Warp &w, TensorPair &pair, const char *what, int lane);
/// Faults unless CTA `rank` of the pair has allocated all columns of the range. `what`: "tcgen05.ld reads".
void need_allocated(const Warp &w, TensorPair &pair, unsigned rank, const TensorRange &r, const char *what, int lane);

/// Reports if the tensor core, told by a lane, reads shared memory that nobody has fenced for the async proxy.
void check_async_read(Warp &w, unsigned lane, const Cta &cta, uint32_t offset, uint32_t bytes);

} // namespace tegula::emulator
