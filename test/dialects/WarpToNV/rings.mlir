// RUN: tegula-opt %s --warp-assign-shared-layouts --tile-expand-copies --warp-assign-fragments --convert-tile-to-warp --warp-insert-waits --warp-plan-shared-memory --convert-warp-to-nv --canonicalize --cse | FileCheck %s

!a = !tile.view<128x64xbf16, shared>
!ring = !tile.ring<4 x [!tile.view<128x64xbf16, shared>]>
!global = !tile.global<?x?xbf16, unit = 1>

// CHECK-LABEL: nv.kernel @ring
tile.kernel @ring(%A: !global dims ["M", "K"] align 16, %M: index, %K: index) target "sm_90a" cluster [1, 1, 1] {
  %r = tile.ring : !ring
  // Four full barriers that one thread completes, four empty ones that four warps complete; visible to TMA before use.
  // CHECK-COUNT-4: nv.mbarrier.init %{{.*}}, count = 1
  // CHECK-COUNT-4: nv.mbarrier.init %{{.*}}, count = 4
  // CHECK: nv.fence.mbarrier_init
  // CHECK: nv.block_sync
  // The producer is one thread. It starts with parity 1: a fresh barrier counts the phase before its first as complete.
  // CHECK: nv.elect
  // CHECK: nv.mbarrier.wait
  // 128 * 64 * 2 bytes.
  // CHECK: nv.mbarrier.arrive_expect %{{.*}}, %c16384_i32
  // CHECK: nv.tma.load %arg0[
  tile.role "load" (%instance) instances 1 warps 1 {
    %c0 = arith.constant 0 : index
    %a = tile.produce %r : !ring
    %v = tile.slice %A[%c0, %c0] : !global to !tile.view<128x64xbf16, global>
    tile.copy %v to %a : !tile.view<128x64xbf16, global> to !a
  }
  // The consumer's reads come before one lane of each warp arrives at the empty barrier.
  // CHECK: nv.mbarrier.wait
  // CHECK: nv.ld{{matrix|.shared}}
  // CHECK: nv.mbarrier.arrive %{{.*}} if
  tile.role "read" (%instance) instances 1 warps 4 {
    %a = tile.consume %r : !ring
    %x = tile.load %a : !a to tensor<128x64xbf16>
  }
}
