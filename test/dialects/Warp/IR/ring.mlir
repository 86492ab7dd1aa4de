// RUN: tegula-opt %s | tegula-opt | FileCheck %s
// A ring, and what its producer and its consumer do at it, survive a round trip.

#k_major = #warp.shared<unit = 1, swizzle = 128, panel = 128, rows = 128>
!slot = !tile.view<128x64xbf16, shared, #k_major>
!ring = !tile.ring<4 x [!tile.view<128x64xbf16, shared, #k_major>]>

// CHECK-LABEL: tile.kernel @ring
tile.kernel @ring() target "sm_90a" cluster [1, 1, 1] {
  // CHECK: %[[RING:.*]] = warp.ring bytes 16384 full_arrivals 1 empty_arrivals 4
  %r = warp.ring bytes 16384 full_arrivals 1 empty_arrivals 4 : !ring
  tile.role "load" (%instance) instances 1 warps 1 {
    // CHECK: warp.acquire %[[RING]]
    %a = warp.acquire %r : (!ring) -> !slot
    // CHECK: warp.commit %[[RING]]
    warp.commit %r : !ring
  }
  tile.role "read" (%instance) instances 1 warps 4 {
    // CHECK: warp.wait %[[RING]]
    %a = warp.wait %r : (!ring) -> !slot
    %again = arith.constant true
    // CHECK: warp.release %[[RING]] if %{{.*}}
    warp.release %r if %again : !ring
  }
}
