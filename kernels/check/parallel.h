// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Splits a range of rows over the machine's cores, for references on the CPU.
#pragma once

#include <cstdint>
#include <functional>

namespace tegula {

/// Calls body(begin, end) for parts of [0, count) on up to as many threads as there are cores; returns when all are
/// done. `grain`: the least count that is worth a thread.
void parallel_for(int64_t count, int64_t grain, const std::function<void(int64_t begin, int64_t end)> &body);

} // namespace tegula
