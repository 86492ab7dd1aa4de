// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that take chunks in turn, so that uneven rows don't leave cores idle.
#include "kernels/check/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace tegula {

void parallel_for(int64_t count, int64_t grain, const std::function<void(int64_t, int64_t)> &body) {
  const int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  const int64_t workers = std::clamp<int64_t>(count / std::max<int64_t>(grain, 1), 1, cores);
  if (workers == 1)
    return count > 0 ? body(0, count) : void();
  const int64_t chunk = std::max<int64_t>(grain, (count + workers * 4 - 1) / (workers * 4));
  std::atomic<int64_t> next = 0;
  const auto work = [&] {
    for (int64_t begin = next.fetch_add(chunk); begin < count; begin = next.fetch_add(chunk))
      body(begin, std::min(begin + chunk, count));
  };
  std::vector<std::jthread> threads;
  for (int64_t i = 1; i < workers; ++i)
    threads.emplace_back(work);
  work();
}

} // namespace tegula
