// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The model: tiles go round the SMs in waves; a tile takes as long as its slowest part; a wave's ends don't overlap.
#include "kernels/gemm/cost.h"

#include <algorithm>
#include <cmath>

namespace tegula {
namespace {

// H200, hopper.md's section 1: bf16 FLOP a clock and SM; bytes a clock of the whole chip from memory and from L2.
constexpr double kFlopsPerClock = 4096, kMemoryBytesPerClock = 2400, kL2BytesPerClock = 5500;
constexpr double kSmBytesPerClock = 64;
constexpr double kLoadLatency = 1300; // clocks from a TMA load to its bytes, when many are in flight
constexpr double kLaunch = 4500;      // clocks before the first and after the last tile: launch, fill, drain
constexpr double kReduceLaunch = 3500;

int64_t ceildiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

// One warpgroup alone waits after each batch of wgmma and fills 0.67 to 0.88 of the tensor core (N = 64 to 256); two
// fill it whole.
double tensor_core_use(const GemmSchedule &schedule) {
  // Below N = 256 the operands' reads (2 KiB of A and 32·N bytes of B in N/2 clocks) crowd the shared-memory port.
  if (schedule.math > 1)
    return schedule.n >= 256   ? 1
           : schedule.n >= 192 ? 0.975
           : schedule.m >= 256 ? 0.98
           : schedule.n >= 128 ? 0.94
                               : 0.85;
  return schedule.n >= 256 ? 0.88 : schedule.n >= 192 ? 0.86 : schedule.n >= 128 ? 0.81 : 0.67;
}

double epilogue_clocks(const GemmProblem &problem, const GemmSchedule &schedule) {
  const double bytes_out = double(schedule.m) * schedule.n * bytes(problem.partial ? DType::f32 : problem.out);
  const double clocks = 700 + bytes_out / (problem.d_tma || problem.partial ? 64 : 20);
  return schedule.pingpong ? 0.25 * clocks : clocks;
}

} // namespace

GemmCost estimate(const GemmProblem &problem, const GemmShape &shape, const GemmSchedule &schedule,
                  const GemmMachine &machine) {
  GemmCost cost;
  const double element = bytes(problem.in);
  const int64_t rows = ceildiv(ceildiv(shape.m, schedule.m), schedule.cluster) * schedule.cluster;
  const int64_t columns = ceildiv(shape.n, schedule.n);
  const int64_t steps = ceildiv(ceildiv(shape.k, schedule.k), schedule.split_k);
  cost.tiles = rows * columns * shape.batch * schedule.split_k;
  cost.waves = ceildiv(cost.tiles, machine.sms);

  // wgmma takes n/2 clocks for 64 rows and 16 of K, but never less than some 24: narrow tiles waste the unit.
  const double width = std::max(schedule.n, 48);
  cost.compute = 2.0 * schedule.m * width * steps * schedule.k / kFlopsPerClock / tensor_core_use(schedule);

  const double step_bytes = (schedule.m + double(schedule.n) / schedule.cluster) * schedule.k * element;
  const double ring_bytes = double(schedule.stages) * (schedule.m + schedule.n) * schedule.k * element;
  const double busy = std::min<double>(machine.sms, cost.tiles);
  const double rate = std::min({kSmBytesPerClock, ring_bytes / kLoadLatency, kL2BytesPerClock / busy});
  cost.traffic = steps * step_bytes / rate;

  const double operands = double(shape.batch) * (double(shape.m) * shape.k + double(shape.n) * shape.k) * element;
  const double out = double(shape.batch) * shape.m * shape.n * bytes(problem.out);
  cost.memory = (operands + out) / kMemoryBytesPerClock;
  if (schedule.split_k > 1) {
    const double sums = 4.0 * shape.batch * shape.m * shape.n * schedule.split_k;
    cost.reduce = kReduceLaunch + 2 * sums / kL2BytesPerClock;
  }
  const double tile = std::max(cost.compute, cost.traffic) + epilogue_clocks(problem, schedule);
  // What is hidden behind the longer of the two is not hidden whole; it also decides between schedules that memory
  // limits.
  const double busy_clocks = cost.waves * tile;
  cost.total = kLaunch + std::max(busy_clocks, cost.memory) + 0.1 * std::min(busy_clocks, cost.memory) + cost.reduce;
  return cost;
}

} // namespace tegula
