// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Test data: reproducible normal values, fast enough for gigabytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/types/dtype.h"

namespace tegula {

/// SplitMix64: a good stream from any seed, also for drawing test cases.
class Random {
public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next();
  /// Uniform in [least, most].
  int64_t between(int64_t least, int64_t most);
  /// Uniform in [0, 1).
  double unit();
  bool chance(double probability) { return unit() < probability; }

private:
  uint64_t state_;
};

/// Standard normal values in `dtype`: a pattern of a prime number of elements, which large arrays repeat. No two rows
/// of a matrix start at the same place of it unless the pitch is a multiple of the prime.
class NormalPattern {
public:
  static constexpr int64_t kElements = 2097143; // the largest prime below 2^21

  NormalPattern(DType dtype, uint64_t seed);

  /// Fills `count` elements at `to`, as they stand at position `start` of the endless repetition.
  void fill(void *to, int64_t start, int64_t count) const;

private:
  DType dtype_;
  std::vector<std::byte> values_;
};

} // namespace tegula
