// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One tile of a bf16 GEMM from end to end, by one CTA and by a pair: TMA into a ring of two stages, tcgen05.mma,
// commits that free stages and hand D over, tcgen05.ld, plain stores. Emulated; compared with a product in double.
#include "test/runtime/emulator/tensor/matrix.h"
#include "test/runtime/emulator/tensor/tensor_kernel.h"

#include <catch2/catch.hpp>

using namespace tegula::emulator::test;

namespace {

constexpr unsigned kRows = 128, kColumns = 64, kTileK = 64; // of one CTA's A and B; N of a pair is twice that
constexpr unsigned kStage = (kRows + kColumns) * kTileK * 2;

std::string replaced(std::string s, const std::string &from, const std::string &to) {
  for (size_t at = 0; (at = s.find(from, at)) != std::string::npos; at += to.size())
    s.replace(at, from.size(), to);
  return s;
}

/// GROUP, N, IDESC, BYTES stand for the numbers of one CTA or of a pair. Barriers: full 0, 8; empty 16, 24; done 32.
const char *const kGemm = R"(.version 9.0
.target sm_100a
.address_size 64
.extern .shared .align 1024 .b8 smem[];
.shared .align 8 .b8 bars[64];
.visible .entry gemm(.param .align 64 .b8 map_a[128], .param .align 64 .b8 map_b[128], .param .u64 out,
                     .param .u32 tiles)
.reqntid 192
{
.reg .pred %p<20>; .reg .b16 %rs<4>; .reg .b32 %r<100>; .reg .b64 %rd<40>;
mov.b64 %rd1, map_a; mov.b64 %rd2, map_b;
cvta.param.u64 %rd1, %rd1; cvta.param.u64 %rd2, %rd2;
ld.param.u64 %rd3, [out]; ld.param.u32 %r1, [tiles];
mov.u32 %r2, %tid.x; shr.u32 %r3, %r2, 5; mov.u32 %r4, smem; mov.u32 %r5, bars; mov.u32 %r6, %cluster_ctarank;
and.b32 %r7, %r5, 0xfeffffff;                       // the leader's barriers
setp.ne.u32 %p1, %r2, 0; @%p1 bra INITIALISED;
mbarrier.init.shared::cta.b64 [%r5], 1; mbarrier.init.shared::cta.b64 [%r5+8], 1;
mbarrier.init.shared::cta.b64 [%r5+16], 1; mbarrier.init.shared::cta.b64 [%r5+24], 1;
mbarrier.init.shared::cta.b64 [%r5+32], 1;
fence.mbarrier_init.release.cluster;
INITIALISED:
barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;
setp.ne.u32 %p1, %r3, 4; @%p1 bra ALLOCATED;
tcgen05.alloc.cta_group::GROUP.sync.aligned.shared::cta.b32 [%r5+40], 128;
ALLOCATED:
tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;
ld.shared.b32 %r8, [%r5+40];
setp.eq.u32 %p2, %r3, 4; @%p2 bra LOAD;
setp.eq.u32 %p2, %r3, 5; @%p2 bra MULTIPLY;
bra EPILOGUE;

LOAD:
elect.sync _|%p3, 0xffffffff; @!%p3 bra END;
mul.lo.u32 %r9, %r6, 128; mul.lo.u32 %r10, %r6, 64;  // this CTA's rows of A and of B
mov.u32 %r11, 0; mov.u32 %r12, 0; mov.u32 %r13, 1;   // tile, stage, phase
NEXT_LOAD:
shl.b32 %r14, %r12, 3; add.u32 %r15, %r5, %r14; add.u32 %r16, %r7, %r14;
WAIT_EMPTY: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r15+16], %r13; @!%p4 bra WAIT_EMPTY;
setp.eq.u32 %p5, %r6, 0;
@%p5 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r15], BYTES;
mad.lo.u32 %r17, %r12, 24576, %r4; add.u32 %r18, %r17, 16384; shl.b32 %r19, %r11, 6;
cp.async.bulk.tensor.2d.cta_group::GROUP.shared::cluster.global.tile.mbarrier::complete_tx::bytes
  [%r17], [%rd1, {%r19, %r9}], [%r16];
cp.async.bulk.tensor.2d.cta_group::GROUP.shared::cluster.global.tile.mbarrier::complete_tx::bytes
  [%r18], [%rd2, {%r19, %r10}], [%r16];
add.u32 %r11, %r11, 1; xor.b32 %r12, %r12, 1; setp.eq.u32 %p6, %r12, 0; @%p6 xor.b32 %r13, %r13, 1;
setp.lt.u32 %p7, %r11, %r1; @%p7 bra NEXT_LOAD;
bra END;

MULTIPLY:
setp.ne.u32 %p3, %r6, 0; @%p3 bra END;               // the leader issues for both
elect.sync _|%p3, 0xffffffff; @!%p3 bra END;
mov.u32 %r20, IDESC; mov.b16 %rs1, 3;
mov.u32 %r11, 0; mov.u32 %r12, 0; mov.u32 %r13, 0;
setp.ne.u32 %p8, %r11, %r11;
NEXT_TILE:
shl.b32 %r14, %r12, 3; add.u32 %r15, %r5, %r14;
WAIT_FULL: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r15], %r13; @!%p4 bra WAIT_FULL;
tcgen05.fence::after_thread_sync;
mad.lo.u32 %r17, %r12, 24576, %r4; shr.u32 %r21, %r17, 4; add.u32 %r22, %r21, 1024;
and.b32 %r21, %r21, 0x3fff; and.b32 %r22, %r22, 0x3fff;
cvt.u64.u32 %rd10, %r21; cvt.u64.u32 %rd11, %r22;
or.b64 %rd10, %rd10, 0x4000404000000000; or.b64 %rd11, %rd11, 0x4000404000000000; // 128-byte swizzle, SBO 1024
mov.u32 %r23, 0;
NEXT_STEP:
tcgen05.mma.cta_group::GROUP.kind::f16 [%r8], %rd10, %rd11, %r20, %p8;
setp.eq.u32 %p8, %r11, %r11;
add.u64 %rd10, %rd10, 2; add.u64 %rd11, %rd11, 2; add.u32 %r23, %r23, 1;
setp.lt.u32 %p7, %r23, 4; @%p7 bra NEXT_STEP;
COMMIT [%r15+16]MASK;
add.u32 %r11, %r11, 1; xor.b32 %r12, %r12, 1; setp.eq.u32 %p6, %r12, 0; @%p6 xor.b32 %r13, %r13, 1;
setp.lt.u32 %p7, %r11, %r1; @%p7 bra NEXT_TILE;
COMMIT [%r5+32]MASK;
bra END;

EPILOGUE:
WAIT_DONE: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r5+32], 0; @!%p4 bra WAIT_DONE;
tcgen05.fence::after_thread_sync;
mad.lo.u32 %r24, %r6, 128, %r2; mul.wide.u32 %rd12, %r24, ROW_BYTES; add.u64 %rd12, %rd12, %rd3;
mov.u32 %r25, 0;
NEXT_COLUMNS:
add.u32 %r26, %r8, %r25;
tcgen05.ld.sync.aligned.32x32b.x4.b32 {%r27, %r28, %r29, %r30}, [%r26];
tcgen05.wait::ld.sync.aligned;
st.global.v4.b32 [%rd12], {%r27, %r28, %r29, %r30};
add.u64 %rd12, %rd12, 16; add.u32 %r25, %r25, 4; setp.lt.u32 %p7, %r25, N; @%p7 bra NEXT_COLUMNS;
END:
tcgen05.fence::before_thread_sync;
barrier.cluster.arrive.release; barrier.cluster.wait.acquire;
tcgen05.fence::after_thread_sync;
@!%p2 bra LEAVE;
setp.ne.u32 %p1, %r3, 4; @%p1 bra LEAVE;
bar.warp.sync 0xffffffff;
tcgen05.relinquish_alloc_permit.cta_group::GROUP.sync.aligned;
tcgen05.dealloc.cta_group::GROUP.sync.aligned.b32 %r8, 128;
LEAVE:
ret;
}
)";

std::string gemm(unsigned group) {
  unsigned n = kColumns * group, m = kRows * group;
  std::string s = replaced(kGemm, "GROUP", std::to_string(group));
  std::string commit = "tcgen05.commit.cta_group::" + std::to_string(group) + ".mbarrier::arrive::one.shared::cluster";
  s = replaced(s, "COMMIT", commit + (group == 2 ? ".multicast::cluster.b64" : ".b64"));
  s = replaced(s, "MASK", group == 2 ? ", %rs1" : "");
  s = replaced(s, "IDESC", std::to_string(1u << 4 | 1u << 7 | 1u << 10 | n / 8 << 17 | m / 16 << 24));
  s = replaced(s, "ROW_BYTES", std::to_string(n * 4));
  s = replaced(s, "BYTES", std::to_string(kStage * group));
  return replaced(s, "%r25, N;", "%r25, " + std::to_string(n) + ";");
}

CUtensorMap tile_map(CUdeviceptr base, uint64_t rows, uint64_t k, uint32_t box_rows) {
  CUtensorMap m;
  uint64_t dims[] = {k, rows}, strides[] = {k * 2};
  uint32_t box[] = {kTileK, box_rows}, steps[] = {1, 1};
  REQUIRE(cuTensorMapEncodeTiled(&m, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, reinterpret_cast<void *>(base), dims, strides,
                                 box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                 CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
  return m;
}

std::vector<uint16_t> halves(const Matrix &m) { return {m.codes.begin(), m.codes.end()}; }

void check_gemm(unsigned group, unsigned tiles) {
  CAPTURE(group, tiles);
  Emulated device(kBlackwell);
  unsigned m = kRows * group, n = kColumns * group, k = kTileK * tiles;
  Matrix a(kBf16, m, k, 1), b(kBf16, n, k, 2);
  CUdeviceptr da = device.upload(halves(a)), db = device.upload(halves(b)), out = device.allocate(size_t{m} * n * 4);
  CUresult r = device.load(gemm(group));
  UNSCOPED_INFO(device.log);
  REQUIRE(r == CUDA_SUCCESS);
  REQUIRE(device.run("gemm", {group}, {192}, 2 * kStage, Dim{group}, tile_map(da, m, k, kRows),
                     tile_map(db, n, k, kColumns), out, tiles) == CUDA_SUCCESS);
  auto d = device.download<float>(out, size_t{m} * n);
  std::vector<double> expected = product(a, b);
  for (size_t i = 0; i < d.size(); ++i)
    if (static_cast<double>(d[i]) != expected[i]) {
      CAPTURE(i / n, i % n, d[i], expected[i]);
      FAIL("D differs");
    }
}

} // namespace

TEST_CASE("a bf16 GEMM tile by one CTA on emulator:sm_100a") {
  for (unsigned tiles : {1u, 2u, 5u})
    check_gemm(1, tiles);
}
TEST_CASE("a bf16 GEMM tile by a pair of CTAs on emulator:sm_100a") {
  for (unsigned tiles : {1u, 2u, 5u})
    check_gemm(2, tiles);
}
TEST_CASE("the GEMM tiles with other seeds: other delays, places in tensor memory and blocking") {
  for (const char *seed : {"1", "2", "3"}) {
    tegula_emulator_set("seed", seed);
    check_gemm(1, 5);
    check_gemm(2, 5);
  }
  tegula_emulator_set("seed", "0");
}
