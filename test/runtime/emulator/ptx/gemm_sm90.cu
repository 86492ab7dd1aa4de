// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The source of gemm_sm90.ptx (nvcc 13.0 -ptx -arch=sm_90a -O3 -lineinfo): TMA with multicast in clusters of 2, mbarrier
// ring, wgmma, setmaxnreg, stmatrix, TMA store. gemm_sm90_no_fence.ptx has FENCE=0. wgmma256.inc is one asm statement.
#include <cuda.h>
#include <cuda_bf16.h>
#include <cstdint>
#include <utility>
using bf16 = __nv_bfloat16;
#define DEV __device__ __forceinline__
DEV uint32_t saddr(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
DEV void mb_init(uint64_t *b, int n) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(saddr(b)), "r"(n)); }
DEV void mb_expect(uint64_t *b, uint32_t n) { asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(saddr(b)), "r"(n) : "memory"); }
DEV void mb_wait(uint64_t *b, int ph) {
  asm volatile("{\n.reg .pred P1;\nLAB_WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n@P1 bra DONE;\nbra LAB_WAIT;\nDONE:\n}" ::"r"(saddr(b)), "r"(ph) : "memory");
}
DEV void mb_arrive_cluster(uint64_t *b, uint32_t cta) {
  asm volatile("{\n.reg .b32 r;\nmapa.shared::cluster.u32 r, %0, %1;\nmbarrier.arrive.shared::cluster.b64 _, [r];\n}" ::"r"(saddr(b)), "r"(cta) : "memory");
}
DEV void tma_load(void *d, const CUtensorMap *m, uint64_t *b, int c0, int c1) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(saddr(d)), "l"(m), "r"(saddr(b)), "r"(c0), "r"(c1) : "memory");
}
DEV void tma_load_mc(void *d, const CUtensorMap *m, uint64_t *b, int c0, int c1, uint16_t mask) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(saddr(d)), "l"(m), "r"(saddr(b)), "r"(c0), "r"(c1), "h"(mask) : "memory");
}
DEV void tma_store(const CUtensorMap *m, const void *s, int c0, int c1) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(m), "r"(saddr(s)), "r"(c0), "r"(c1) : "memory");
}
DEV uint64_t desc(const void *p) {
  uint64_t d = (saddr(p) & 0x3ffff) >> 4;
  return d | (uint64_t)1 << 16 | (uint64_t)64 << 32 | (uint64_t)1 << 62;
}
#include "wgmma256.inc"
constexpr int BM = 128, BN = 256, BK = 64, ST = 3;
struct Smem {
  alignas(1024) bf16 a[ST][BM * BK];
  alignas(1024) bf16 b[ST][BN * BK];
  alignas(1024) bf16 c[4][BM * 64];
  alignas(8) uint64_t full[ST], empty[ST];
};
#ifndef FENCE
#define FENCE 1
#endif
extern "C" __global__ void __launch_bounds__(384, 1)
gemm(const __grid_constant__ CUtensorMap ma, const __grid_constant__ CUtensorMap mbm, const __grid_constant__ CUtensorMap mc, int M, int N, int K) {
  extern __shared__ __align__(1024) uint8_t raw[];
  Smem &s = *(Smem *)raw;
  uint32_t rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  int wg = threadIdx.x / 128, kt = K / BK;
  if (threadIdx.x == 0) {
    for (int i = 0; i < ST; ++i) { mb_init(&s.full[i], 1); mb_init(&s.empty[i], 2 * 2); }
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
  asm volatile("griddepcontrol.wait;" ::: "memory");
  int tm = M / BM, tn = N / BN, cl = blockIdx.x / 2, ncl = gridDim.x / 2;
  int slot = 0, ph = 0;
  if (wg == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x / 32 == 0) {
      uint32_t elected;
      asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(elected));
      if (elected) {
        for (int t = cl; t < tm / 2 * tn; t += ncl) {
          int i = (t / tn) * 2 + rank, j = t % tn;
          for (int k = 0; k < kt; ++k) {
            mb_wait(&s.empty[slot], ph ^ 1);
            mb_expect(&s.full[slot], (BM + BN) * BK * 2);
            tma_load(s.a[slot], &ma, &s.full[slot], k * BK, i * BM);
            tma_load_mc(s.b[slot] + rank * 128 * BK, &mbm, &s.full[slot], k * BK, j * BN + rank * 128, 3);
            if (++slot == ST) slot = 0, ph ^= 1;
          }
        }
        for (int k = 0; k < ST; ++k) { mb_wait(&s.empty[slot], ph ^ 1); if (++slot == ST) slot = 0, ph ^= 1; }
      }
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    int w = wg - 1, t128 = threadIdx.x % 128;
    float d[128];
    for (int t = cl; t < tm / 2 * tn; t += ncl) {
      int i = (t / tn) * 2 + rank, j = t % tn;
      int prev = -1;
      for (int k = 0; k < kt; ++k) {
        mb_wait(&s.full[slot], ph);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        const bf16 *a = s.a[slot] + w * 64 * BK, *b = s.b[slot];
        wgmma256(d, desc(a), desc(b), k != 0);
        wgmma256(d, desc(a + 16), desc(b + 16), 1);
        wgmma256(d, desc(a + 32), desc(b + 32), 1);
        wgmma256(d, desc(a + 48), desc(b + 48), 1);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
        if (prev >= 0 && t128 < 2) mb_arrive_cluster(&s.empty[prev], t128);
        prev = slot;
        if (++slot == ST) slot = 0, ph ^= 1;
      }
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
      if (t128 < 2) mb_arrive_cluster(&s.empty[prev], t128);
      if (threadIdx.x == 128) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
      asm volatile("bar.sync 1, 256;" ::: "memory");
      int lane = threadIdx.x % 32, wq = t128 / 32;
      for (int q = 0; q < 16; ++q) {
        uint32_t r[4];
        for (int h = 0; h < 4; ++h) {
          __nv_bfloat162 v = __floats2bfloat162_rn(d[q * 8 + h * 2], d[q * 8 + h * 2 + 1]);
          r[h] = *(uint32_t *)&v;
        }
        int row = w * 64 + wq * 16 + (lane & 7) + ((lane >> 3) & 1) * 8, col = (q % 4) * 16 + (lane >> 4) * 8;
        uint32_t off = row * 128 + col * 2;
        off ^= ((off >> 7) & 7) << 4;
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(saddr(s.c[q / 4]) + off), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory");
      }
#if FENCE
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
      asm volatile("bar.sync 1, 256;" ::: "memory");
      if (threadIdx.x == 128) {
        for (int q = 0; q < 4; ++q) tma_store(&mc, s.c[q], j * BN + q * 64, i * BM);
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
      }
    }
    if (threadIdx.x == 128) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
