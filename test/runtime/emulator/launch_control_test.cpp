// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cluster launch control: clusters take over others until none is left, each coordinate once. Emulated.
#include "test/runtime/emulator/emulated.h"

#include <catch2/catch.hpp>

using namespace tegula::emulator::test;

namespace {

/// Each cluster's thread 0 counts the coordinates that the cluster works on: its own first, then what it takes over.
/// %r5 response, %r6 mbarrier, %r9 phase; %r10, %r11 coordinates.
std::string persistent(const std::string &after_failure = "", const std::string &before_query = "") {
  return ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u32 width)\n{\n"
         ".reg .pred %p<8>; .reg .b32 %r<40>; .reg .b64 %rd<8>; .reg .b128 %rq<2>;\n"
         ".shared .align 16 .b8 response[16]; .shared .align 8 .b8 bar[8];\n"
         "ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [width]; mov.u32 %r5, response; mov.u32 %r6, bar;\n"
         "mov.u32 %r2, %cluster_ctarank; mov.u32 %r10, %ctaid.x; mov.u32 %r11, %ctaid.y;\n"
         "mbarrier.init.shared::cta.b64 [%r6], 1; fence.mbarrier_init.release.cluster; mov.u32 %r9, 0;\n"
         "mov.u32 %r12, %cluster_ctaid.x;\n"
         "NEXT:\n"
         "barrier.cluster.arrive; barrier.cluster.wait;\n"
         "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r6], 16;\n"
         "barrier.cluster.arrive; barrier.cluster.wait;\n"
         "setp.eq.u32 %p1, %r2, 0;\n"
         "@%p1 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all."
         "b128 [%r5], [%r6];\n"
         "mad.lo.u32 %r13, %r11, %r1, %r10; mul.wide.u32 %rd2, %r13, 4; add.u64 %rd2, %rd2, %rd1;\n"
         "atom.global.add.u32 %r14, [%rd2], 1;\n" +
         before_query +
         "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r6], %r9; @!%p2 bra WAIT;\n"
         "xor.b32 %r9, %r9, 1;\n"
         "ld.shared.b128 %rq1, [%r5];\n"
         "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p3, %rq1;\n"
         "@!%p3 bra DONE;\n"
         "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r10, %r11, _, _}, %rq1;\n"
         "add.u32 %r10, %r10, %r12;\n"
         "fence.proxy.async.shared::cta;\nbra NEXT;\nDONE:\n" +
         after_failure + "ret;\n}\n";
}

std::vector<uint32_t> counts(unsigned x, unsigned y, unsigned cluster) {
  Emulated device(1);
  CUresult r = device.load(persistent());
  UNSCOPED_INFO(device.log);
  REQUIRE(r == CUDA_SUCCESS);
  CUdeviceptr out = device.upload(std::vector<uint32_t>(size_t{x} * y, 0));
  REQUIRE(device.run("k", {x, y}, {1}, 0u, Dim{cluster}, out, x) == CUDA_SUCCESS);
  return device.download<uint32_t>(out, size_t{x} * y);
}

CUresult outcome(const std::string &ptx) {
  Emulated device(1);
  if (CUresult r = device.load(ptx); r != CUDA_SUCCESS)
    return r;
  CUdeviceptr out = device.upload(std::vector<uint32_t>(16, 0));
  return device.run("k", {4}, {1}, 0u, Dim{}, out, 4u);
}

} // namespace

TEST_CASE("clusterlaunchcontrol: every coordinate is worked on once") {
  CHECK(counts(40, 5, 1) == std::vector<uint32_t>(200, 1));
  CHECK(counts(24, 3, 2) == std::vector<uint32_t>(72, 1));
  CHECK(counts(16, 1, 4) == std::vector<uint32_t>(16, 1));
}
TEST_CASE("clusterlaunchcontrol: also when requests are refused while work is left") {
  for (const char *seed : {"1", "2", "3", "4"}) {
    tegula_emulator_set("seed", seed);
    CHECK(counts(24, 3, 2) == std::vector<uint32_t>(72, 1));
  }
  tegula_emulator_set("seed", "0");
}
TEST_CASE("clusterlaunchcontrol: coordinates of a failed request are named") {
  CHECK(outcome(persistent()) == CUDA_SUCCESS);
  CHECK(outcome(persistent("clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r20, %rq1;\n")) ==
        CUDA_ERROR_LAUNCH_FAILED);
}
TEST_CASE("clusterlaunchcontrol: a request after a failed one is named") {
  CHECK(outcome(persistent("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r5], "
                           "[%r6];\n")) == CUDA_ERROR_LAUNCH_FAILED);
}
TEST_CASE("clusterlaunchcontrol: a response that is read before it came is named") {
  CHECK(outcome(persistent("", "ld.shared.b128 %rq1, [%r5]; clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 "
                               "%p3, %rq1;\n")) == CUDA_ERROR_LAUNCH_FAILED);
}
