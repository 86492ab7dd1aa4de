// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A cluster: its CTAs' warps take turns, asynchronous operations complete in between, and when nothing can go on any
// more the report says who waits for what.
#include "runtime/emulator/async/mbarrier.h"
#include "runtime/emulator/machine/machine.h"

#include <algorithm>
#include <cstring>

namespace tegula::emulator {
namespace {

constexpr unsigned kStallsBeforeDeadlock = 64; // rounds of timed-out waits in which no barrier changed
constexpr uint64_t kMaxDelay = 4;              // passes that an asynchronous operation may take

std::unique_ptr<Cta> make_cta(Cluster &cluster, Launch &launch, Dim3 id, uint32_t rank) {
  auto cta = std::make_unique<Cta>();
  cta->cluster = &cluster;
  cta->launch = &launch;
  cta->rank = rank;
  cta->id = id;
  cta->shared_bytes = launch.layout.dynamic_offset + launch.dynamic_shared;
  cta->shared_storage = std::make_unique<std::byte[]>(cta->shared_bytes + 1024);
  auto at = reinterpret_cast<uintptr_t>(cta->shared_storage.get());
  cta->shared = reinterpret_cast<std::byte *>((at + 1023) / 1024 * 1024);
  auto threads = static_cast<uint32_t>(launch.block.count());
  if (launch.options.checks)
    cta->proxy.enable(cta->shared_bytes, threads);
  cta->live_threads = threads;
  cta->live_warps = (threads + kLanes - 1) / kLanes;
  uint32_t entry_registers = launch.function->max_registers ? launch.function->max_registers
                                                            : std::min(65536u / std::max(threads, 1u) / 8 * 8, 255u);
  const Function &f = *launch.function;
  uint32_t stack = f.local_bytes + (f.callees.empty() && !f.calls_indirectly ? 64 : launch.stack_bytes);
  for (uint32_t w = 0; w < cta->live_warps; ++w) {
    auto warp = std::make_unique<Warp>();
    warp->cta = cta.get();
    warp->cluster = &cluster;
    warp->launch = &launch;
    warp->index = w;
    warp->registers = entry_registers;
    uint32_t mask = 0;
    for (uint32_t l = 0; l < kLanes; ++l) {
      uint32_t t = w * kLanes + l;
      mask |= static_cast<uint32_t>(t < threads) << l;
      warp->tid[0][l] = t % launch.block.x;
      warp->tid[1][l] = t / launch.block.x % launch.block.y;
      warp->tid[2][l] = t / launch.block.x / launch.block.y;
    }
    warp->local_stride = stack;
    warp->local = static_cast<std::byte *>(std::calloc(kLanes, stack));
    if (!warp->local)
      throw Fault{FindingKind::stack_overflow, "no memory for the threads' local memory"};
    cta->warps.push_back(std::move(warp));
    cta->warps.back()->start(mask);
  }
  return cta;
}

std::string hex(uint64_t v) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(v));
  return text;
}

} // namespace

Cluster::Cluster(Launch &l, Dim3 first) : launch(l) {
  random_state_ =
      l.options.seed * 0x9e3779b97f4a7c15u + first.x + (uint64_t{first.y} << 20) + (uint64_t{first.z} << 40);
  live_threads = static_cast<uint32_t>(l.block.count() * l.cluster.count());
  for (uint32_t rank = 0; rank < l.cluster.count(); ++rank) {
    Dim3 id{first.x + rank % l.cluster.x, first.y + rank / l.cluster.x % l.cluster.y,
            first.z + rank / l.cluster.x / l.cluster.y};
    ctas.push_back(make_cta(*this, l, id, rank));
  }
}

uint64_t Cluster::random() { // splitmix64
  uint64_t z = (random_state_ += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

void Cluster::launch_async(const char *what, std::function<void()> run) {
  in_flight.push_back({now + 1 + random() % kMaxDelay, std::move(run), what});
}

void Cluster::complete(bool force) {
  if (in_flight.empty())
    return;
  uint64_t until = now;
  if (force) {
    until = UINT64_MAX;
    for (const Pending &p : in_flight)
      until = std::min(until, p.due);
  }
  std::vector<Pending> due;
  for (size_t i = 0; i < in_flight.size();) {
    if (in_flight[i].due > until) {
      ++i;
      continue;
    }
    due.push_back(std::move(in_flight[i]));
    in_flight.erase(in_flight.begin() + static_cast<ptrdiff_t>(i));
  }
  for (Pending &p : due)
    p.run();
  if (!due.empty())
    ++events;
}

void Cluster::arrive_cluster_barrier(uint32_t threads) {
  barrier_arrived += threads;
  if (live_threads > 0 && barrier_arrived >= live_threads) {
    barrier_arrived = 0;
    ++barrier_phase;
    ++events;
  }
}

bool Cluster::run(uint64_t passes) {
  for (uint64_t p = 0; p < passes; ++p) {
    ++now;
    bool progressed = false, busy = false, alive = false;
    for (auto &cta : ctas)
      for (auto &warp : cta->warps) {
        if (warp->done())
          continue;
        alive = true;
        uint64_t before = warp->instructions;
        bool got_on = warp->run(launch.options.quantum);
        instructions += warp->instructions - before;
        progressed |= got_on;
        busy |= got_on && !warp->polling;
      }
    if (launch.stop.load(std::memory_order_relaxed))
      return true;
    complete(false);
    if (!alive) {
      while (!in_flight.empty())
        complete(true);
      return true;
    }
    if (progressed) {
      idle = !busy;
      releasing_ = false;
      if (idle)
        return false;
    } else if (!in_flight.empty()) {
      complete(true);
    } else {
      stall();
    }
  }
  return false;
}

void Cluster::stall() {
  if (events != stall_events_) {
    stall_events_ = events;
    stalls_ = 0;
  }
  if (++stalls_ > kStallsBeforeDeadlock)
    deadlock();
  releasing_ = true; // waits that may time out now do
}

void Cluster::deadlock() {
  std::string text = "no thread of the cluster can go on and nothing is in flight";
  unsigned lines = 0;
  for (auto &cta : ctas)
    for (auto &warp : cta->warps)
      for (Group &g : warp->groups) {
        if (++lines > 24) {
          text += "\n  … and more";
          throw Fault{FindingKind::deadlock, text};
        }
        warp->frame = g.frame;
        const Inst *i = &g.frame->function->code[g.pc];
        // A group that has just timed out stands a few instructions after its wait, on the way back to it.
        text += "\n  " + std::to_string(std::popcount(g.mask)) + " thread" +
                (g.mask & (g.mask - 1) ? "s wait" : " waits") + " for " + (g.waits_for ? g.waits_for : "its turn");
        if (g.wait_address) {
          auto offset = static_cast<uint32_t>(g.wait_address & 0xffffff);
          auto state = offset + 8 <= cta->shared_bytes ? Mbarrier::load(cta->shared + offset) : Mbarrier{};
          text += " at shared address " + hex(g.wait_address & 0xffffff) + ", phase of parity " +
                  std::to_string(g.wait_parity) + "; it still expects " + std::to_string(state.pending) + " of " +
                  std::to_string(state.expected) + " arrivals and " + std::to_string(state.tx) + " bytes, in phase " +
                  std::to_string(state.parity);
        }
        text += "\n    at " + warp->where(i, std::countr_zero(g.mask));
      }
  throw Fault{FindingKind::deadlock, text};
}

} // namespace tegula::emulator
