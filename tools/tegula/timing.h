// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Timing on a device, in the manner of bench/compare.py: events, medians, graphs of calls for short work, operands that
// rotate through more than L2.
#pragma once

#include <functional>
#include <vector>

#include "kernels/gemm/check/gemm_case.h"
#include "kernels/registry/registry.h"
#include "runtime/driver/memory.h"

namespace tegula {

/// Puts one call into the stream; `set` says which of the operand sets it uses.
using TimedCall = std::function<Result<void>(int64_t set)>;

[[nodiscard]] double median(std::vector<double> values);

/// Median microseconds of single calls.
[[nodiscard]] Result<double> event_us(Session &session, const TimedCall &call, int64_t sets, int64_t repetitions);
/// Median microseconds of a call within a graph of `calls` calls: leaves out the host's gaps.
[[nodiscard]] Result<double> graph_us(Session &session, const TimedCall &call, int64_t sets, int64_t repetitions,
                                      int64_t calls = 20);
/// Whichever of the two suits work of so many floating-point operations, with compare.py's repetitions unless given.
[[nodiscard]] Result<double> time_us(Session &session, const TimedCall &call, int64_t sets, double flops,
                                     int64_t repetitions);

/// Fills a buffer with normal values.
[[nodiscard]] Result<void> fill_normal(Session &session, DeviceBuffer &buffer, DType dtype, uint64_t seed);
/// How many sets of operands of so many bytes exceed L2 four times over; at most 16.
[[nodiscard]] int64_t sets_beyond_l2(double set_bytes);

/// Operands of a GEMM case on the device, filled with normal values, in as many sets as exceed L2 four times over.
class GemmOperands {
public:
  [[nodiscard]] static Result<GemmOperands> make(Session &session, const GemmCase &test);

  [[nodiscard]] int64_t sets() const { return static_cast<int64_t>(sets_.size()); }
  [[nodiscard]] const GemmArgs &call(int64_t set) const { return calls_[static_cast<size_t>(set)]; }

private:
  std::vector<std::vector<DeviceBuffer>> sets_;
  std::vector<GemmArgs> calls_;
};

[[nodiscard]] inline double flops_of(const GemmCase &test) { return 2.0 * test.batch * test.m * test.n * test.k; }

} // namespace tegula
