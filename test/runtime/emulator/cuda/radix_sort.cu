// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One pass of a least-significant-digit radix sort of 4 bits: ranks by match and ballot, digits' counts across blocks by a
// decoupled look-back through global memory. keys_out is stable in the digit.
#include <cstdint>
constexpr int kThreads = 128, kDigits = 16;

// state: kDigits words a block, zeroed before; the upper two bits say 0 nothing, 1 the block's count, 2 the inclusive prefix.
// total: counts of all keys by digit, from count_digits. ticket: 0 before.
extern "C" __global__ void count_digits(const uint32_t *keys, int n, int shift, uint32_t *total) {
  __shared__ uint32_t bins[kDigits];
  if (threadIdx.x < kDigits) bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[keys[i] >> shift & (kDigits - 1)], 1u);
  __syncthreads();
  if (threadIdx.x < kDigits && bins[threadIdx.x]) atomicAdd(&total[threadIdx.x], bins[threadIdx.x]);
}

extern "C" __global__ void __launch_bounds__(kThreads) scatter(const uint32_t *keys, uint32_t *out, int n, int shift,
                                                               const uint32_t *total, volatile uint32_t *state, uint32_t *ticket) {
  __shared__ uint32_t block_id, counts[kThreads / 32][kDigits], base[kDigits];
  if (threadIdx.x == 0) block_id = atomicAdd(ticket, 1u);
  for (int i = threadIdx.x; i < kThreads / 32 * kDigits; i += kThreads) (&counts[0][0])[i] = 0;
  __syncthreads();
  uint32_t b = block_id;
  int i = b * kThreads + threadIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  bool valid = i < n;
  uint32_t key = valid ? keys[i] : 0, digit = valid ? key >> shift & (kDigits - 1) : kDigits;
  uint32_t same = __match_any_sync(~0u, digit);
  uint32_t rank = __popc(same & ((1u << lane) - 1));
  if (valid && rank == 0) counts[warp][digit] = __popc(same);
  __syncthreads();
  if (threadIdx.x < kDigits) {
    uint32_t sum = 0;
    for (int w = 0; w < kThreads / 32; ++w) {
      uint32_t c = counts[w][threadIdx.x];
      counts[w][threadIdx.x] = sum;
      sum += c;
    }
    state[b * kDigits + threadIdx.x] = (b == 0 ? 2u : 1u) << 30 | sum;
    uint32_t before = 0;
    for (int at = (int)b - 1; at >= 0;) {
      uint32_t s = state[at * kDigits + threadIdx.x];
      if (s >> 30 == 0) continue;
      before += s & 0x3fffffff;
      if (s >> 30 == 2) break;
      --at;
    }
    if (b) state[b * kDigits + threadIdx.x] = 2u << 30 | (before + sum);
    uint32_t t = total[threadIdx.x], scan = t;
    for (int d = 1; d < kDigits; d *= 2) {
      uint32_t up = __shfl_up_sync(0xffff, scan, d, kDigits);
      if (threadIdx.x >= d) scan += up;
    }
    base[threadIdx.x] = scan - t + before;
  }
  __syncthreads();
  if (valid) out[base[digit] + counts[warp][digit] + rank] = key;
}
