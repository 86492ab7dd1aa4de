// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor memory as the program must treat it: allocated before use, freed once, by both CTAs of a pair. Emulated.
#include "test/runtime/emulator/tensor/tensor_kernel.h"

#include <catch2/catch.hpp>

using namespace tegula::emulator::test;

namespace {

/// Kernels that do their own allocation. %r1 shared address of 16 bytes, %r2 thread, %r3 rank in the cluster.
struct Allocation {
  ~Allocation() { tegula_emulator_set("seed", "0"); }

  CUresult outcome(const std::string &body, unsigned ctas = 1, unsigned threads = 32) {
    Emulated device(kBlackwell); // a fault stays with its device
    CUresult r =
        device.load(".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 unused)\n{\n"
                    ".reg .pred %p<8>; .reg .b32 %r<40>; .reg .b64 %rd<20>; .shared .align 8 .b8 s[32];\n"
                    "mov.u32 %r1, s; mov.u32 %r2, %tid.x; mov.u32 %r3, %cluster_ctarank;\n" +
                    body + "\nret;\n}\n");
    UNSCOPED_INFO(device.log);
    return r != CUDA_SUCCESS ? r : device.run("k", {2}, {threads}, 0u, Dim{ctas}, uint64_t{0});
  }
};

std::string alloc(unsigned columns, unsigned group = 1) {
  return "tcgen05.alloc.cta_group::" + std::to_string(group) + ".sync.aligned.shared::cta.b32 [%r1], " +
         std::to_string(columns) + "; ld.shared.b32 %r4, [%r1];\n";
}
std::string dealloc(unsigned columns, unsigned group = 1) {
  return "tcgen05.dealloc.cta_group::" + std::to_string(group) + ".sync.aligned.b32 %r4, " + std::to_string(columns) +
         ";\n";
}
const std::string kRelinquish = "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n";
const std::string kBarrier = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n";
constexpr CUresult kNamed = CUDA_ERROR_LAUNCH_FAILED;

} // namespace

TEST_CASE_METHOD(Allocation, "tensor memory is allocated and freed") {
  CHECK(outcome(alloc(64) + dealloc(64) + kRelinquish) == CUDA_SUCCESS);
  CHECK(outcome(alloc(64) + "mov.u32 %r5, %r4;" + alloc(32) + dealloc(32) + "mov.u32 %r4, %r5;" + dealloc(64)) ==
        CUDA_SUCCESS);
}
TEST_CASE_METHOD(Allocation, "tensor memory: a size that is no power of two") { CHECK(outcome(alloc(48)) == kNamed); }
TEST_CASE_METHOD(Allocation, "tensor memory: a size below 32") { CHECK(outcome(alloc(16)) == kNamed); }
TEST_CASE_METHOD(Allocation, "tensor memory that is never freed") { CHECK(outcome(alloc(64)) == kNamed); }
TEST_CASE_METHOD(Allocation, "tensor memory that is freed twice") {
  CHECK(outcome(alloc(64) + dealloc(64) + dealloc(64)) == kNamed);
}
TEST_CASE_METHOD(Allocation, "tensor memory that is freed in part") {
  CHECK(outcome(alloc(64) + dealloc(32)) == kNamed);
}
TEST_CASE_METHOD(Allocation, "tensor memory: a later allocation that is larger") {
  CHECK(outcome(alloc(32) + dealloc(32) + alloc(64) + dealloc(64)) == kNamed);
}
TEST_CASE_METHOD(Allocation, "tensor memory: an allocation after the permit was given back") {
  CHECK(outcome(kRelinquish + alloc(32) + dealloc(32)) == kNamed);
}
TEST_CASE_METHOD(Allocation, "tensor memory that is not there blocks, which is a deadlock if nobody frees") {
  CHECK(outcome(alloc(512) + "mov.u32 %r5, %r4;" + alloc(32)) == CUDA_ERROR_LAUNCH_TIMEOUT);
}
TEST_CASE_METHOD(Allocation, "hang-11: tensor memory that is used without allocation is named") {
  CHECK(outcome("tcgen05.mma.cta_group::1.kind::f16 [%r5], %rd1, %rd2, %r6, 0;") == kNamed);
  CHECK(outcome("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r5}, [%r6];") == kNamed);
}
TEST_CASE_METHOD(Allocation, "tensor memory is out of reach beyond the allocation and after it") {
  CHECK(outcome(alloc(32) + "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r4+32], {%r2};") == kNamed);
  CHECK(outcome(alloc(32) + dealloc(32) + "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r4], {%r2};") == kNamed);
}
TEST_CASE_METHOD(Allocation, "tensor memory of a pair needs a warp of each CTA") {
  for (const char *seed : {"0", "1", "2"}) { // odd seeds: the first waits for the second
    tegula_emulator_set("seed", seed);
    CHECK(outcome(kBarrier + alloc(64, 2) + kBarrier + dealloc(64, 2), 2) == CUDA_SUCCESS);
  }
}
TEST_CASE_METHOD(Allocation, "tensor memory of a pair: the peer must have started") {
  CHECK(outcome(alloc(64, 2) + kBarrier + dealloc(64, 2), 2) == kNamed);
}
TEST_CASE_METHOD(Allocation, "tensor memory of a pair: there must be a peer") {
  CHECK(outcome(alloc(64, 2) + dealloc(64, 2), 1) == kNamed);
}
TEST_CASE_METHOD(Allocation, "hang-12: a CTA of a pair that frees before the other has allocated is named") {
  std::string late = "mov.u32 %r5, 0; setp.eq.u32 %p1, %r3, 0; @%p1 bra GO;\n"
                     "SPIN: add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 20000; @%p2 bra SPIN;\nGO:\n";
  CHECK(outcome(kBarrier + late + alloc(64, 2) + dealloc(64, 2), 2) == kNamed);
  CHECK(outcome(kBarrier + late + alloc(64, 2) + kBarrier + dealloc(64, 2), 2) == CUDA_SUCCESS);
}
TEST_CASE_METHOD(Allocation, "tensor memory of a pair: sizes must agree") {
  CHECK(outcome(kBarrier +
                    "setp.eq.u32 %p1, %r3, 0; mov.u32 %r6, 64; @%p1 mov.u32 %r6, 32;\n"
                    "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%r1], %r6;\n" +
                    kBarrier,
                2) == kNamed);
}
TEST_CASE_METHOD(Allocation, "tcgen05 for Hopper is refused when loaded") {
  Emulated hopper(0);
  CHECK(hopper.load(".version 8.7\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n"
                    "tcgen05.fence::before_thread_sync;\nret;\n}\n") == CUDA_ERROR_INVALID_PTX);
  CHECK(hopper.log.find("sm_100a") != std::string::npos);
}
