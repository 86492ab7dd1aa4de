// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine's state while a grid runs: clusters of CTAs of warps. A cluster is run by one thread at a time, so that
// nothing in here needs a lock; clusters meet in global memory only.
#pragma once

#include "runtime/emulator/async/wgmma_queue.h"
#include "runtime/emulator/checks/proxy_shadow.h"
#include "runtime/emulator/machine/launch.h"

#include <array>
#include <bit>
#include <cstdlib>
#include <functional>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tegula::emulator {

class Cluster;
struct Cta;
struct TensorPair;

/// One activation of a function by some lanes of a warp.
struct Frame {
  const Function *function = nullptr;
  std::byte *registers = nullptr, *constants = nullptr;
  uint32_t local_base = 0, depth = 0, return_pc = 0, lanes = 0;
  Frame *parent = nullptr;
  const Inst *call = nullptr;
};

/// Lanes of a warp that stand at one place. Divergence splits groups, meeting at one pc of one frame merges them.
struct Group {
  uint32_t mask = 0, pc = 0;
  Frame *frame = nullptr;
  bool blocked = false;   // did not get on when it last ran
  bool attempted = false; // its instruction has begun, e.g. arrived at a barrier, and must be finished by this group
  bool deferred = false;  // had its share of back edges while others wait
  uint64_t token = 0;     // of the instruction begun
  uint32_t back_edges = 0;
  const char *waits_for = nullptr; // for reports
  uint64_t wait_address = 0;
  uint32_t wait_parity = 0;
};

/// A barrier of bar.sync: arrivals by lane, since a warp may come piecemeal.
struct NamedBarrier {
  std::array<uint32_t, 32> arrived{}; // lanes of each warp
  uint32_t expected = 0;              // threads; 0: all of the CTA
  bool in_use = false;
  uint64_t phase = 0;
  uint32_t votes_and = 1, votes_or = 0, votes_count = 0; // bar.red, of the phase that is filling
  uint32_t last_and = 1, last_or = 0, last_count = 0;    // of the phase that completed last
  uint32_t line = 0;
};

/// A commit group of bulk copies of one thread.
struct BulkGroup {
  unsigned unread = 0;  // copies whose source has not been read yet
  unsigned pending = 0; // copies that are not complete
};
struct BulkThread {
  std::shared_ptr<BulkGroup> open;
  std::vector<std::shared_ptr<BulkGroup>> committed;
};

/// One non-bulk cp.async of some lanes, done late, or a mark in the queue of them.
struct CopyAsync {
  enum class Kind : uint8_t { copy, commit, arrive } kind = Kind::copy;
  uint32_t mask = 0;
  const Inst *inst = nullptr;
  uint8_t bytes = 0;
  bool no_increment = false;
  std::array<uint64_t, kLanes> to, from;
  std::array<uint8_t, kLanes> source_bytes;
};

class Warp : public Exec {
public:
  Warp() = default;
  Warp(const Warp &) = delete;
  Warp &operator=(const Warp &) = delete;
  ~Warp() { std::free(local); }
  Cta *cta = nullptr;
  Cluster *cluster = nullptr;
  Launch *launch = nullptr;
  uint32_t index = 0; // in the CTA
  uint32_t start_mask = 0, live = 0;
  std::vector<Group> groups;
  std::vector<std::unique_ptr<Frame>> frames;
  std::vector<std::unique_ptr<std::byte[]>> frame_storage;
  Frame *frame = nullptr; // of the group that runs
  const Inst *now = nullptr;
  uint32_t tid[3][kLanes];
  std::byte *local = nullptr;
  uint32_t local_stride = 0;
  uint64_t range_lo = 1, range_hi = 0; // an allocation that accesses were last seen in
  uint64_t instructions = 0;
  WgmmaQueue wgmma;
  std::vector<CopyAsync> copies;
  uint32_t syncwarp_arrived = 0, syncwarp_released = 0; // of bar.warp.sync
  uint32_t registers = 0;                               // a thread, for setmaxnreg
  uint64_t poll_address = 0;
  uint32_t poll_count = 0;
  bool polling = false;       // spins on a value in global memory, or sleeps: others should run
  uint64_t cluster_phase = 0; // of the cluster barrier when this warp arrived

  /// Runs until all groups block, or for about `quantum` instructions. True if it got on.
  bool run(unsigned quantum);
  [[nodiscard]] bool done() const { return groups.empty(); }
  void start(uint32_t mask);
  Frame *push_frame(const Function &f, uint32_t lanes);
  void drop_frame(Frame *f);
  void exit_lanes(uint32_t mask);
  [[noreturn]] void fault(FindingKind kind, const std::string &message, int lane = -1) const;
  void report(FindingKind kind, const std::string &message, int lane = -1) const;
  /// "kernel 'k', gemm.cu:12, PTX line 88 (ld.global.f32), CTA (0,0,0), warp 1, lane 3"
  [[nodiscard]] std::string where(const Inst *i, int lane) const;
  [[nodiscard]] uint32_t thread_index(unsigned lane) const { return index * kLanes + lane; }
  /// A load that waits for others reads the same address again and again; after some of those the warp gives way.
  void note_poll(uint64_t address) {
    poll_count = address == poll_address ? poll_count + 1 : 0;
    poll_address = address;
    if (poll_count >= 48) {
      polling = true;
      poll_count = 0;
    }
  }
  [[nodiscard]] std::byte *local_at(unsigned lane, uint64_t offset, unsigned bytes);

private:
  Group *pick();
  bool step_group(Group *g, unsigned &quantum);
  bool merge(Group *&g);
  void enter(const Group &g);
  bool converged(const Group &g, const Inst &i, uint32_t mask) const;
  void split(Group &g, uint32_t stay);
  bool branch(Group &g, const Inst &i, uint32_t taken);
};

struct Cta {
  Cluster *cluster = nullptr;
  Launch *launch = nullptr;
  uint32_t rank = 0; // in the cluster
  Dim3 id;
  std::unique_ptr<std::byte[]> shared_storage;
  std::byte *shared = nullptr; // aligned to 1024; offset 0 is the reserved part
  uint32_t shared_bytes = 0;   // the reserved part included
  std::vector<std::unique_ptr<Warp>> warps;
  std::array<NamedBarrier, 16> barriers;
  std::unordered_map<const Function *, std::vector<std::byte>> constants;
  std::unordered_map<uint32_t, BulkThread> bulk; // by thread
  std::unordered_set<uint32_t> mbarriers;        // offsets of those initialised
  ProxyShadow proxy;
  std::shared_ptr<TensorPair> tensor; // null until tcgen05 is used; shared with the peer CTA
  uint32_t free_registers = 0;
  uint32_t live_threads = 0;
  unsigned live_warps = 0;

  std::byte *constants_of(const Function &f);
  void check_barriers(); // after threads have left
};

/// An asynchronous operation in flight. `run` is called once, when it is due or when nothing else can go on.
struct Pending {
  uint64_t due = 0;
  std::function<void()> run;
  const char *what = "";
};

class Cluster {
public:
  Cluster(Launch &launch, Dim3 first_cta);
  /// Runs for a while. True when all CTAs are done.
  bool run(uint64_t passes);
  void launch_async(const char *what, std::function<void()> run);
  [[nodiscard]] uint64_t random();
  [[nodiscard]] bool releasing() const { return releasing_; }

  Launch &launch;
  std::vector<std::unique_ptr<Cta>> ctas;
  std::vector<Pending> in_flight;
  uint64_t now = 0;
  uint64_t events = 0; // barrier and mbarrier changes, for the deadlock check
  uint64_t barrier_phase = 0;
  uint32_t barrier_arrived = 0; // threads at the cluster barrier
  uint32_t live_threads = 0;
  uint64_t instructions = 0;
  bool idle = false;                   // last pass only polled
  bool launch_control_refused = false; // a thread has seen a clusterlaunchcontrol request fail

  void arrive_cluster_barrier(uint32_t threads);

private:
  void complete(bool force);
  void stall();
  [[noreturn]] void deadlock();
  uint64_t random_state_;
  uint64_t stall_events_ = 0;
  unsigned stalls_ = 0;
  bool releasing_ = false;
};

} // namespace tegula::emulator
