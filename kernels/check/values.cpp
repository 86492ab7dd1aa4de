// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Box-Muller over SplitMix64, in parallel blocks with a stream each, so that the values depend on the seed alone.
#include "kernels/check/values.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "kernels/check/parallel.h"
#include "kernels/check/small_float.h"

namespace tegula {

uint64_t Random::next() {
  uint64_t z = state_ += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

int64_t Random::between(int64_t least, int64_t most) {
  return least + static_cast<int64_t>(next() % static_cast<uint64_t>(most - least + 1));
}

double Random::unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

NormalPattern::NormalPattern(DType dtype, uint64_t seed)
    : dtype_(dtype), values_(static_cast<size_t>(bytes(dtype, kElements))) {
  constexpr int64_t kBlock = 4096;
  parallel_for((kElements + kBlock - 1) / kBlock, 16, [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block) {
      Random random(seed * 0x100000001b3u + static_cast<uint64_t>(block));
      for (int64_t i = block * kBlock; i < std::min((block + 1) * kBlock, kElements); ++i) {
        const float radius = std::sqrt(-2 * std::log(static_cast<float>(random.unit()) + 1e-12f));
        const float angle = 2 * std::numbers::pi_v<float> * static_cast<float>(random.unit());
        write_element(dtype_, values_.data(), i, radius * std::cos(angle));
      }
    }
  });
}

void NormalPattern::fill(void *to, int64_t start, int64_t count) const {
  auto *out = static_cast<std::byte *>(to);
  int64_t at = start % kElements;
  while (count > 0) {
    const int64_t run = std::min(count, kElements - at);
    std::memcpy(out, values_.data() + bytes(dtype_, at), static_cast<size_t>(bytes(dtype_, run)));
    out += bytes(dtype_, run);
    count -= run;
    at = 0;
  }
}

} // namespace tegula
