// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One grid to run: what it runs, on what, and what was found. run_grid returns when the grid is done or has failed.
#pragma once

#include "runtime/emulator/checks/finding.h"
#include "runtime/emulator/machine/memory.h"
#include "runtime/emulator/program/program.h"

#include <atomic>
#include <functional>
#include <mutex>
#include <set>

namespace tegula::emulator {

class MapFences;

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  [[nodiscard]] uint64_t count() const { return uint64_t{x} * y * z; }
};

struct Options {
  bool checks = true;
  uint64_t seed = 0;
  unsigned threads = 0;                // 0: one a core
  uint64_t budget = uint64_t{1} << 40; // warp instructions of one CTA before it counts as endless
  unsigned quantum = 2048;             // warp instructions before another warp has its turn
  unsigned max_findings = 16;
  bool strict_tensor_order = true; // false: tcgen05 as an in-order pipe without fences, see tensor/order.h
};

/// A program with its variables placed in a device's memory.
struct LoadedProgram {
  std::shared_ptr<const Program> program;
  std::vector<uint64_t> global_address;
};

struct Launch {
  const LoadedProgram *loaded = nullptr;
  const Function *function = nullptr;
  GlobalMemory *memory = nullptr;
  std::vector<std::byte> params;
  Dim3 grid, block, cluster;
  uint32_t dynamic_shared = 0;
  unsigned sm_major = 9, sm_minor = 0, sm_count = 132;
  uint32_t stack_bytes = 16384;
  uint64_t environment[4] = {0, 0, 0, 0}; // envreg pairs of a cooperative launch
  Options options;

  std::shared_ptr<MapFences> map_fences; // of tensor maps that this grid changes
  /// Takes a cluster that has not started, for clusterlaunchcontrol. False if none is left. Set while the grid runs.
  std::function<bool(Dim3 &first_cta)> claim_cluster;

  SharedLayout layout;
  std::atomic<bool> stop{false};

  /// Records and prints a finding once per kind and PTX line. A launch with a finding ends in an error.
  void report(FindingKind kind, const std::string &message, uint32_t line);
  [[nodiscard]] ErrorCode error() const { return error_; }
  [[nodiscard]] const std::vector<Finding> &findings() const { return findings_; }
  [[nodiscard]] uint64_t constant_value(const Relocation &r, uint32_t rank) const;

private:
  std::mutex mutex_;
  std::set<std::pair<int, uint32_t>> seen_;
  std::vector<Finding> findings_;
  ErrorCode error_ = ErrorCode::none;
};

void run_grid(Launch &launch);

} // namespace tegula::emulator
