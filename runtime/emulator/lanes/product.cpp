// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The matrix product behind wgmma and mma. Compiled so that a multiplication and an addition may fuse.
#include "runtime/emulator/lanes/apply.h"

namespace tegula::emulator::TEGULA_LANES {
namespace {

// Blocked so that a strip of D stays in registers while k runs.
void product(float *d, size_t ldd, const float *a, size_t lda, const float *b, size_t ldb, unsigned rows, unsigned n,
             unsigned k) {
  constexpr unsigned kStrip = 32;
  for (unsigned j = 0; j < n; j += kStrip) {
    unsigned w = n - j < kStrip ? n - j : kStrip;
    for (unsigned r = 0; r < rows; ++r) {
      float acc[kStrip];
      float *out = d + r * ldd + j;
      if (w == kStrip) {
        for (unsigned c = 0; c < kStrip; ++c)
          acc[c] = out[c];
        for (unsigned i = 0; i < k; ++i) {
          float x = a[r * lda + i];
          const float *row = b + i * ldb + j;
          for (unsigned c = 0; c < kStrip; ++c)
            acc[c] += x * row[c];
        }
        for (unsigned c = 0; c < kStrip; ++c)
          out[c] = acc[c];
        continue;
      }
      for (unsigned i = 0; i < k; ++i)
        for (unsigned c = 0; c < w; ++c)
          out[c] += a[r * lda + i] * b[i * ldb + j + c];
    }
  }
}

} // namespace

ProductF32 product_f32() { return &product; }

} // namespace tegula::emulator::TEGULA_LANES
