// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inline PTX as public Hopper kernels have it: mbarriers, tensor copies, wgmma of 64x64x16.
#pragma once
#include <cuda.h>
#include <cuda_bf16.h>
#include <cstdint>
using bf16 = __nv_bfloat16;
#define DEV __device__ __forceinline__
DEV uint32_t saddr(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
DEV void barrier_init(uint64_t *b, int n) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(saddr(b)), "r"(n));
}
DEV void barrier_expect(uint64_t *b, uint32_t n) {
  asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(saddr(b)), "r"(n) : "memory");
}
DEV void barrier_arrive(uint64_t *b) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(saddr(b)) : "memory"); }
DEV void barrier_wait(uint64_t *b, uint32_t phase) {
  asm volatile("{\n.reg .pred P1;\nLAB_WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1, 0x989680;\n"
               "@P1 bra.uni DONE;\nbra.uni LAB_WAIT;\nDONE:\n}" ::"r"(saddr(b)), "r"(phase) : "memory");
}
DEV void load_tile(void *d, const CUtensorMap *m, uint64_t *b, int x, int y) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(
                   saddr(d)), "l"(m), "r"(saddr(b)), "r"(x), "r"(y) : "memory");
}
/// Descriptor of a tile whose rows have 128 bytes, swizzled by 128: 8 rows (K-major) or 8 k (MN-major) lie 1024 apart.
DEV uint64_t descriptor(const void *p) {
  return (uint64_t)((saddr(p) & 0x3ffff) >> 4) | (uint64_t)1 << 16 | (uint64_t)64 << 32 | (uint64_t)1 << 62;
}
DEV void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
DEV void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int N> DEV void wgmma_wait() { asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory"); }

#define D8(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define D32                                                                                                     "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22,"   " %23, %24, %25, %26, %27, %28, %29, %30, %31}"
/// d += A B, both in shared memory; TransB: B is MN-major.
template <int TransB> DEV void wgmma_ss(float (&d)[32], uint64_t a, uint64_t b, int scale) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\nwgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 " D32
               ", %32, %33, p, 1, 1, 0, %35;\n}"
               : D8(0), D8(8), D8(16), D8(24)
               : "l"(a), "l"(b), "r"(scale), "n"(TransB));
}
/// The same, A in registers.
template <int TransB> DEV void wgmma_rs(float (&d)[32], const uint32_t (&a)[4], uint64_t b, int scale) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %37, 0;\nwgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 " D32
               ", {%32, %33, %34, %35}, %36, p, 1, 1, %38;\n}"
               : D8(0), D8(8), D8(16), D8(24)
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(scale), "n"(TransB));
}
