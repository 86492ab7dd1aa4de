// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GEMM of 64x64 tiles by wgmma without TMA: threads copy by cp.async into two buffers that they swizzle themselves, and
// fence before the asynchronous proxy reads. B lies as n by k (gemm_tn) or as k by n (gemm_nn).
#include "wgmma.cuh"

constexpr int T = 64; // rows, columns and k of a tile; a row has 128 bytes

DEV void copy_tile(bf16 *to, const bf16 *from, int stride) {
  for (int i = threadIdx.x; i < T * 8; i += 128) { // 16 bytes each
    int row = i / 8, chunk = i % 8;
    uint32_t at = saddr(to) + row * 128 + ((chunk ^ (row & 7)) * 16);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from + (size_t)row * stride + chunk * 8) : "memory");
  }
}

template <bool KMajorB> DEV void gemm(const bf16 *a, const bf16 *b, float *c, int n, int k) {
  __shared__ alignas(1024) bf16 sa[2][T * T], sb[2][T * T];
  int ti = blockIdx.y, tj = blockIdx.x;
  auto load = [&](int slot, int kk) {
    copy_tile(sa[slot], a + (size_t)ti * T * k + kk, k);
    copy_tile(sb[slot], KMajorB ? b + (size_t)tj * T * k + kk : b + (size_t)kk * n + tj * T, KMajorB ? k : n);
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  float d[32];
  load(0, 0);
  for (int kk = 0, slot = 0; kk < k; kk += T, slot ^= 1) {
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    wgmma_fence();
#pragma unroll
    for (int i = 0; i < 4; ++i)
      wgmma_ss<!KMajorB>(d, descriptor(sa[slot] + i * 16), descriptor(sb[slot] + (KMajorB ? i * 16 : i * 16 * T)), kk || i);
    wgmma_commit();
    if (kk + T < k) load(slot ^ 1, kk + T);
    wgmma_wait<0>();
  }
  int lane = threadIdx.x % 32, row = ti * T + threadIdx.x / 32 * 16 + lane / 4;
#pragma unroll
  for (int i = 0; i < 32; i += 2)
    *reinterpret_cast<float2 *>(&c[(size_t)(row + i / 2 % 2 * 8) * n + tj * T + i / 4 * 8 + lane % 4 * 2]) = {d[i], d[i + 1]};
}

extern "C" __global__ void __launch_bounds__(128) gemm_tn(const bf16 *a, const bf16 *b, float *c, int n, int k) { gemm<true>(a, b, c, n, k); }
extern "C" __global__ void __launch_bounds__(128) gemm_nn(const bf16 *a, const bf16 *b, float *c, int n, int k) { gemm<false>(a, b, c, n, k); }
