// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Orders that PTX does not promise are named; their twins with the wait or fence pass. Emulated.
#include "test/runtime/emulator/tensor/tensor_kernel.h"

#include <catch2/catch.hpp>

using namespace tegula::emulator::test;

namespace {

/// bf16 zeros everywhere: only orders matter.
struct Order : TensorKernel {
  Order() {
    image.assign(8 << 10, std::byte{0});
    uint64_t none = uint64_t{1} << 46;
    arguments[0] = none | uint64_t{2048 >> 4} << 16 | uint64_t{128 >> 4} << 32;
    arguments[1] = none | 4096 >> 4 | uint64_t{512 >> 4} << 16 | uint64_t{128 >> 4} << 32;
    arguments[2] = 0x08000490 | 4u << 17; // bf16, D of f32, 128 by 32
    columns = 1;
  }
  ~Order() { tegula_emulator_set("tensor_order", "strict"); }

  CUresult outcome(const std::string &body) { return run_body(kPrepare + body); }

  const std::string kPrepare =
      "shr.u32 %r20, %r4, 4; cvt.u64.u32 %rd20, %r20; add.u64 %rd21, %rd10, %rd20; add.u64 %rd22, %rd11, %rd20; "
      "cvt.u32.u64 %r21, %rd12; setp.eq.u32 %p5, %r2, 0; mov.u32 %r25, 0;\n";
};

std::string mma(const std::string &d = "[%r1]", const std::string &adds = "0") {
  return "@%p5 tcgen05.mma.cta_group::1.kind::f16 " + d + ", %rd21, %rd22, %r21, " + adds + ";\n";
}
const std::string kCommit = "@%p5 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r5];\n";
const std::string kWait = "W: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r5], 0; @!%p1 bra W;\n";
const std::string kBefore = "tcgen05.fence::before_thread_sync;\n", kAfter = "tcgen05.fence::after_thread_sync;\n";
const std::string kBar = "bar.sync 0;\n";
const std::string kLoad = "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r24}, [%r1];\n";
const std::string kStore = "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r1], {%r25};\n";
const std::string kWaitLoad = "tcgen05.wait::ld.sync.aligned;\n", kWaitStore = "tcgen05.wait::st.sync.aligned;\n";
const std::string kDone = kCommit + kWait + kAfter;
constexpr CUresult kNamed = CUDA_ERROR_LAUNCH_FAILED;

} // namespace

TEST_CASE_METHOD(Order, "tcgen05.ld of D needs the commit's phase") {
  CHECK(outcome(mma() + kDone + kLoad + kWaitLoad) == CUDA_SUCCESS);
  CHECK(outcome(mma() + kCommit + kBefore + kBar + kAfter + kLoad + kWaitLoad + kWait + kAfter) == kNamed);
}
TEST_CASE_METHOD(Order, "tcgen05.ld of D needs fence::after_thread_sync in another warp") {
  CHECK(outcome(mma() + kCommit + kWait + kLoad + kWaitLoad + kAfter) == kNamed);
  tegula_emulator_set("tensor_order", "pipe");
  CHECK(outcome(mma() + kCommit + kWait + kLoad + kWaitLoad + kAfter) == CUDA_SUCCESS);
}
TEST_CASE_METHOD(Order, "tcgen05.ld of what the warp stored needs wait::st") {
  CHECK(outcome(kStore + kWaitStore + kLoad + kWaitLoad) == CUDA_SUCCESS);
  CHECK(outcome(kStore + kLoad + kWaitLoad + kWaitStore) == kNamed);
}
TEST_CASE_METHOD(Order, "tcgen05.st over what the warp loaded needs wait::ld, unless its registers are trusted") {
  const std::string over = kStore + kWaitStore + kLoad + kStore + kWaitStore + kWaitLoad;
  CHECK(outcome(over) == kNamed);
  tegula_emulator_set("tensor_order", "pipe");
  CHECK(outcome(over) == CUDA_SUCCESS);
}
TEST_CASE_METHOD(Order, "tcgen05.mma over cells that a load still reads needs wait::ld and both fences") {
  auto with = [&](const std::string &between) {
    return outcome(kStore + kWaitStore + kLoad + between + mma() + kWaitLoad + kDone);
  };
  CHECK(with(kWaitLoad + kBefore + kBar + kAfter) == CUDA_SUCCESS);
  CHECK(with(kBefore + kBar + kAfter) == kNamed);
  CHECK(with(kWaitLoad + kBar + kAfter) == kNamed);
  CHECK(with(kWaitLoad + kBefore + kBar) == kNamed);
}
TEST_CASE_METHOD(Order, "tcgen05.mma on the same D follow each other, on another shape of it they do not") {
  CHECK(outcome(mma() + mma("[%r1]", "1") + kDone) == CUDA_SUCCESS);
  CHECK(outcome(mma() + "mov.u32 %r21, 0x08040490;\n" + mma() + kDone) == kNamed); // 128 by 16
  tegula_emulator_set("tensor_order", "pipe");
  CHECK(outcome(mma() + "mov.u32 %r21, 0x08040490;\n" + mma() + kDone) == CUDA_SUCCESS);
}
TEST_CASE_METHOD(Order,
                 "tcgen05.mma that reads A where another product puts D needs a wait, unless the pipe is in order") {
  const std::string chain =
      mma() + "@%p5 tcgen05.mma.cta_group::1.kind::f16 [%r1+64], [%r1], %rd22, %r21, 0;\n" + kDone;
  CHECK(outcome(chain) == kNamed);
  tegula_emulator_set("tensor_order", "pipe");
  CHECK(outcome(chain) == CUDA_SUCCESS);
}
TEST_CASE_METHOD(Order, "tcgen05.cp is followed by mma, but mma is not followed by cp") {
  const std::string copy = "@%p5 tcgen05.cp.cta_group::1.128x256b [%r1+64], %rd21;\n";
  const std::string product = "@%p5 tcgen05.mma.cta_group::1.kind::f16 [%r1], [%r1+64], %rd22, %r21, 0;\n";
  CHECK(outcome(copy + product + kDone) == CUDA_SUCCESS);
  CHECK(outcome(copy + product + copy + kDone) == kNamed);
}
TEST_CASE_METHOD(Order, "tcgen05.cp handed to another thread's mma needs both fences") {
  const std::string copy = "setp.eq.u32 %p6, %r2, 32; @%p6 tcgen05.cp.cta_group::1.128x256b [%r1+64], %rd21;\n";
  const std::string product = "@%p5 tcgen05.mma.cta_group::1.kind::f16 [%r1], [%r1+64], %rd22, %r21, 0;\n";
  const std::string end = kDone +
                          "@%p6 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r5];\n"
                          "W2: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r5], 1; @!%p1 bra W2;\n" +
                          kAfter;
  CHECK(outcome(copy + kBefore + kBar + kAfter + product + end) == CUDA_SUCCESS);
  CHECK(outcome(copy + kBar + kAfter + product + end) == kNamed);
}
TEST_CASE_METHOD(Order, "tensor memory that a product may still write must not be freed") {
  CHECK(run_body(kPrepare + kStore + kWaitStore + mma("[%r1+64]")) == kNamed); // nobody commits
}
TEST_CASE_METHOD(Order, "tcgen05.mma by a whole warp is named: every thread issues it") {
  CHECK(outcome("setp.lt.u32 %p5, %r2, 32;\n" + mma() + "setp.eq.u32 %p5, %r2, 0;\n" + kDone) == kNamed);
}
TEST_CASE_METHOD(Order, "shared memory that a thread wrote needs a proxy fence before mma") {
  const std::string write = "@%p5 st.shared.b32 [%r4], %r25;\n";
  CHECK(outcome(write + "fence.proxy.async.shared::cta;\n" + mma() + kDone) == CUDA_SUCCESS);
  CHECK(outcome(write + mma() + kDone) == kNamed);
}
