// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pairs of CTAs, the tensor core's queue, and what every access is checked for.
#include "runtime/emulator/tensor/pair.h"

namespace tegula::emulator {

void TensorPair::submit(Cluster &cluster, const char *what, std::function<void()> run) {
  queue.push_back(std::move(run));
  // However late each is due, they run in the order in which they came.
  cluster.launch_async(what, [this] {
    std::function<void()> next = std::move(queue.front());
    queue.pop_front();
    next();
  });
}

TensorPair &tensor_pair(Cta &cta) {
  if (!cta.tensor) {
    auto pair = std::make_shared<TensorPair>(cta.launch->options.strict_tensor_order);
    auto &ctas = cta.cluster->ctas;
    for (uint32_t r = cta.rank & ~1u; r <= (cta.rank | 1) && r < ctas.size(); ++r) {
      pair->cta[r & 1] = ctas[r].get();
      ctas[r]->tensor = pair;
    }
  }
  return *cta.tensor;
}

void need_one_thread(const Warp &w, uint32_t mask, const char *what) {
  if (!std::has_single_bit(mask))
    w.report(FindingKind::tensor_order, std::string(what) + " is executed by " + std::to_string(std::popcount(mask)) +
                                            " threads of the warp, each of which issues it; elect one");
}

void need_peer(const Warp &w, TensorPair &pair, const char *what, int lane) {
  const Cta *peer = pair.cta[rank_in_pair(w) ^ 1];
  if (!peer)
    w.fault(FindingKind::cluster_peer,
            std::string(what) + " with .cta_group::2 in a CTA without a peer: the cluster has " +
                std::to_string(w.cluster->ctas.size()) + " CTA(s), pairs are ranks 2i and 2i + 1",
            lane);
  if (peer->live_warps == 0)
    w.fault(FindingKind::cluster_peer, std::string(what) + " with .cta_group::2, but the peer CTA has exited", lane);
}

void need_allocated(const Warp &w, TensorPair &pair, unsigned rank, const TensorRange &r, const char *what, int lane) {
  const TensorMemory &m = pair.memory[rank];
  for (unsigned c = r.column; c < r.column + r.columns; ++c)
    if (!m.allocated(c))
      w.fault(FindingKind::tensor_memory,
              std::string(what) + " column " + std::to_string(c) + " of tensor memory, which " +
                  (rank == rank_in_pair(w) ? "this CTA" : "the peer CTA") + " has not allocated (it has " +
                  m.describe() + ")",
              lane);
  if (r.lane + r.lanes > kTensorLanes)
    w.fault(FindingKind::tensor_memory,
            std::string(what) + " lane " + std::to_string(r.lane + r.lanes - 1) + " of tensor memory; it has " +
                std::to_string(kTensorLanes),
            lane);
}

void check_async_read(Warp &w, unsigned lane, const Cta &cta, uint32_t offset, uint32_t bytes) {
  if (!cta.proxy.on())
    return;
  // A fence of the reader counts in its own CTA only.
  uint64_t fence = &cta == w.cta ? cta.proxy.fence_of(w.thread_index(lane)) : 0;
  auto miss = cta.proxy.read(offset, bytes, fence);
  if (miss.found)
    w.report(FindingKind::proxy_fence,
             std::string("tcgen05 reads shared offset ") + std::to_string(miss.offset) + ", which thread " +
                 std::to_string(miss.thread) + " wrote at PTX line " + std::to_string(miss.line) +
                 " with no fence.proxy.async since",
             static_cast<int>(lane));
}

} // namespace tegula::emulator
