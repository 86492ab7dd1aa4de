// RUN: tegula-opt %s --warp-plan-shared-memory | FileCheck %s

!slot = !tile.view<128x64xbf16, shared, #warp.shared<unit = 1, swizzle = 128, panel = 128, rows = 128>>
!ring = !tile.ring<2 x [!tile.view<128x64xbf16, shared, #warp.shared<unit = 1, swizzle = 128, panel = 128, rows = 128>>]>

// 2 * 2 barriers of 8 bytes first, then 2 stages of 128 * 64 * 2 = 16384 bytes from the next multiple of 1024, then one
// tile of 8192 bytes for each of two instances: 1024 + 32768 + 2 * 8192 = 50176.
// CHECK: tile.kernel @plan{{.*}}warp.shared_bytes = 50176
tile.kernel @plan() target "sm_90a" cluster [1, 1, 1] {
  // CHECK: warp.ring{{.*}}barriers = 0 : i64{{.*}}offset = 1024 : i64
  %r = warp.ring bytes 16384 full_arrivals 1 empty_arrivals 8 : !ring
  tile.role "math" (%instance) instances 2 warps 4 {
    // CHECK: warp.alloc {offset = 33792 : i64, per_instance}
    %s = warp.alloc {per_instance} : !tile.view<64x64xbf16, shared, #warp.shared<unit = 1, swizzle = 128, panel = 128, rows = 64>>
  }
}
