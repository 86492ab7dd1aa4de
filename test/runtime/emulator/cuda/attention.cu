// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention forward of 64 queries a block and 64 dimensions: one warp streams K and V through a ring of two by TMA, one
// warpgroup multiplies by wgmma (P stays in registers) with an online softmax in base 2.
#include "wgmma.cuh"

struct Smem {
  alignas(1024) bf16 q[64 * 64];
  alignas(1024) bf16 k[2][64 * 64];
  alignas(1024) bf16 v[2][64 * 64];
  alignas(8) uint64_t q_full, full[2], empty[2];
};

DEV uint32_t pack(float lo, float hi) {
  __nv_bfloat162 v = __floats2bfloat162_rn(lo, hi);
  return *reinterpret_cast<uint32_t *>(&v);
}
DEV float quad_max(float v) {
  v = fmaxf(v, __shfl_xor_sync(~0u, v, 1));
  return fmaxf(v, __shfl_xor_sync(~0u, v, 2));
}
DEV float quad_sum(float v) {
  v += __shfl_xor_sync(~0u, v, 1);
  return v + __shfl_xor_sync(~0u, v, 2);
}

DEV void produce(Smem &s, const CUtensorMap *mq, const CUtensorMap *mk, const CUtensorMap *mv, int blocks, int q_row, int kv_row) {
  barrier_expect(&s.q_full, sizeof s.q);
  load_tile(s.q, mq, &s.q_full, 0, q_row);
  for (int j = 0; j < blocks; ++j) {
    int slot = j % 2;
    barrier_wait(&s.empty[slot], (j / 2 & 1) ^ 1);
    barrier_expect(&s.full[slot], sizeof s.k[0] + sizeof s.v[0]);
    load_tile(s.k[slot], mk, &s.full[slot], 0, kv_row + j * 64);
    load_tile(s.v[slot], mv, &s.full[slot], 0, kv_row + j * 64);
  }
}

// q: heads * queries rows of 64, k and v: heads * keys rows; grid: queries / 64 by heads; out like q; lse: a float a row.
extern "C" __global__ void __launch_bounds__(160, 1)
attention(const __grid_constant__ CUtensorMap mq, const __grid_constant__ CUtensorMap mk, const __grid_constant__ CUtensorMap mv,
          bf16 *out, float *lse, int queries, int keys, float scale_log2, int causal) {
  extern __shared__ uint8_t raw[];
  Smem &s = *reinterpret_cast<Smem *>((reinterpret_cast<uintptr_t>(raw) + 1023) & ~uintptr_t(1023));
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32, q0 = blockIdx.x * 64, head = blockIdx.y;
  int last = causal ? min(keys, q0 + 64 + keys - queries) : keys, blocks = (last + 63) / 64;
  if (threadIdx.x == 0) {
    barrier_init(&s.q_full, 1);
    for (int i = 0; i < 2; ++i) barrier_init(&s.full[i], 1), barrier_init(&s.empty[i], 128);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (warp == 4) {
    if (lane == 0) produce(s, &mq, &mk, &mv, blocks, head * queries + q0, head * keys);
    return;
  }
  float o[32], m[2] = {-INFINITY, -INFINITY}, l[2] = {0, 0};
#pragma unroll
  for (float &x : o) x = 0;
  barrier_wait(&s.q_full, 0);
  int row = warp * 16 + lane / 4;
  for (int j = 0; j < blocks; ++j) {
    int slot = j % 2;
    float p[32];
    barrier_wait(&s.full[slot], j / 2 & 1);
    wgmma_fence();
#pragma unroll
    for (int i = 0; i < 4; ++i) wgmma_ss<0>(p, descriptor(s.q + i * 16), descriptor(s.k[slot] + i * 16), i);
    wgmma_commit();
    wgmma_wait<0>();
    float most[2] = {m[0], m[1]};
#pragma unroll
    for (int i = 0; i < 32; ++i) {
      int h = i / 2 % 2, key = j * 64 + i / 4 * 8 + lane % 4 * 2 + i % 2;
      if (key >= keys || (causal && key > q0 + row + h * 8 + keys - queries)) p[i] = -INFINITY;
      most[h] = fmaxf(most[h], p[i]);
    }
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      most[h] = quad_max(most[h]);
      float base = most[h] == -INFINITY ? 0 : most[h], fix = exp2f((m[h] - base) * scale_log2);
      l[h] *= fix;
#pragma unroll
      for (int i = 0; i < 32; ++i)
        if (i / 2 % 2 == h) {
          o[i] *= fix;
          p[i] = exp2f(p[i] * scale_log2 - base * scale_log2);
          l[h] += p[i];
        }
      m[h] = most[h];
    }
    uint32_t a[4][4]; // written before the fence, and the compiler must not move that
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      a[i / 4][i % 4] = pack(p[2 * i], p[2 * i + 1]);
      asm volatile("" : "+r"(a[i / 4][i % 4]));
    }
    wgmma_fence();
#pragma unroll
    for (int i = 0; i < 4; ++i) wgmma_rs<1>(o, a[i], descriptor(s.v[slot] + i * 16 * 64), 1);
    wgmma_commit();
    wgmma_wait<0>();
    barrier_arrive(&s.empty[slot]);
  }
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    l[h] = quad_sum(l[h]);
    size_t at = (size_t)head * queries + q0 + row + h * 8;
    float inverse = l[h] > 0 ? 1 / l[h] : 0;
#pragma unroll
    for (int i = 2 * h; i < 32; i += 4)
      *reinterpret_cast<uint32_t *>(&out[at * 64 + i / 4 * 8 + lane % 4 * 2]) = pack(o[i] * inverse, o[i + 1] * inverse);
    if (lane % 4 == 0) lse[at] = l[h] > 0 ? m[h] * scale_log2 / 1.44269504f + logf(l[h]) : -INFINITY;
  }
}
