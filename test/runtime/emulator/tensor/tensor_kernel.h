// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel of one CTA round a few tcgen05 instructions: fills shared memory from an image, allocates tensor memory,
// runs the body, dumps columns of tensor memory. What it computes is emulated and not compared with hardware.
#pragma once

#include "test/runtime/emulator/emulated.h"

#include <array>

namespace tegula::emulator::test {

/// The second device of the emulator's list is sm_100a.
inline constexpr int kBlackwell = 1;

struct TensorKernel {
  std::vector<std::byte> image = std::vector<std::byte>(1024); // of shared memory, from a multiple of 1024
  std::array<uint64_t, 8> arguments{};                         // %rd10 to %rd17
  unsigned columns = 32;                                       // dumped, all of 128 lanes
  unsigned first_column = 0;
  std::string log; // of the last load

  /// Registers that a body has: %r1 address of the allocation, %r2 thread, %r3 warp, %r4 shared address of the image,
  /// %r5 of an mbarrier with a count of 1, %rd10.. the arguments, and %r20.., %rd20.., %f0.., %p2.. to use.
  static std::string text(const std::string &body, unsigned first_column, unsigned columns) {
    std::string s = ".version 9.0\n.target sm_100a\n.address_size 64\n"
                    ".extern .shared .align 1024 .b8 smem[];\n.shared .align 8 .b8 bars[32];\n"
                    ".visible .entry k(.param .u64 image, .param .u32 chunks, .param .u64 out, .param .align 8 .b8 "
                    "args[64])\n{\n.reg .pred %p<20>; .reg .b16 %rs<20>; .reg .b32 %r<300>; .reg .b64 %rd<40>; "
                    ".reg .f32 %f<40>;\n"
                    "mov.u32 %r2, %tid.x; shr.u32 %r3, %r2, 5; mov.u32 %r4, smem; mov.u32 %r5, bars;\n"
                    "ld.param.u64 %rd1, [image]; ld.param.u32 %r6, [chunks]; ld.param.u64 %rd2, [out];\n";
    for (unsigned i = 0; i < 8; ++i)
      s += "ld.param.u64 %rd1" + std::to_string(i) + ", [args+" + std::to_string(8 * i) + "];\n";
    s += "mov.u32 %r7, %r2;\n"
         "COPY: setp.ge.u32 %p1, %r7, %r6; @%p1 bra COPIED;\n"
         "mul.wide.u32 %rd3, %r7, 16; add.u64 %rd3, %rd3, %rd1; ld.global.v4.b32 {%r8, %r9, %r10, %r11}, [%rd3];\n"
         "shl.b32 %r12, %r7, 4; add.u32 %r12, %r12, %r4; st.shared.v4.b32 [%r12], {%r8, %r9, %r10, %r11};\n"
         "add.u32 %r7, %r7, 128; bra COPY;\nCOPIED:\n"
         "fence.proxy.async.shared::cta; setp.eq.u32 %p1, %r2, 0;\n"
         "@%p1 mbarrier.init.shared::cta.b64 [%r5], 1; @%p1 fence.mbarrier_init.release.cluster;\n"
         "setp.ne.u32 %p1, %r3, 0; @%p1 bra ALLOCATED;\n"
         "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r5+8], 512;\n"
         "ALLOCATED: tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;\n"
         "ld.shared.b32 %r1, [%r5+8];\n" +
         body +
         "\ntcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;\n"
         "mul.wide.u32 %rd3, %r2, " +
         std::to_string(4 * columns) + "; add.u64 %rd3, %rd3, %rd2;\n";
    for (unsigned c = 0; c < columns; ++c)
      s += "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r8}, [%r1+" + std::to_string(first_column + c) +
           "]; tcgen05.wait::ld.sync.aligned; st.global.b32 [%rd3+" + std::to_string(4 * c) + "], %r8;\n";
    return s + "tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;\n"
               "setp.ne.u32 %p1, %r3, 0; @%p1 bra END; tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 512;\n"
               "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\nEND: ret;\n}\n";
  }

  /// Runs on a device of its own, since a fault stays with a device; the dump is left alone if that failed.
  CUresult run_body(const std::string &body, std::vector<uint32_t> *dump = nullptr) {
    Emulated device(kBlackwell);
    CUresult r = device.load(text(body, first_column, columns));
    log = device.log;
    if (r != CUDA_SUCCESS)
      return r;
    image.resize((image.size() + 15) / 16 * 16);
    CUdeviceptr from = device.upload(image), to = device.allocate(size_t{128} * columns * 4);
    r = device.run("k", {1}, {128}, static_cast<unsigned>(image.size()), Dim{}, from,
                   static_cast<uint32_t>(image.size() / 16), to, arguments);
    if (dump && r == CUDA_SUCCESS)
      *dump = device.download<uint32_t>(to, size_t{128} * columns);
    return r;
  }

  /// Runs `instructions` in thread 0, commits them, and lets all threads wait.
  static std::string by_one_thread(const std::string &instructions) {
    return "setp.ne.u32 %p1, %r2, 0; @%p1 bra ISSUED;\n" + instructions +
           "\ntcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r5];\nISSUED:\n" +
           "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r5], 0; @!%p1 bra WAIT;\n"
           "tcgen05.fence::after_thread_sync;\n";
  }
};

} // namespace tegula::emulator::test
