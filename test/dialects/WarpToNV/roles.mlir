// RUN: tegula-opt %s --convert-tile-to-warp --warp-plan-shared-memory --convert-warp-to-nv --canonicalize | FileCheck %s

#acc = #warp.fragment<"reg = [2:1@1, 2:8@0, 2:8@1], lane = [4:2@1, 8:1@0], warp = [4:16@0]">
!acc = tensor<64x16xf32, #acc>
!a = !tile.view<64x64xbf16, shared, #warp.shared<unit = 1, swizzle = 128, panel = 128, rows = 64>>
!b = !tile.view<64x16xbf16, shared, #warp.shared<unit = 0, swizzle = 128, panel = 128, rows = 16>>

// Whole warpgroups enter a branch, since all of their warps must execute setmaxnreg, also those that play no role. The
// blocks of a cluster leave together.
// CHECK: nv.kernel @dispatch{{.*}}threads 384 cluster [2, 1, 1]
tile.kernel @dispatch() target "sm_90a" cluster [2, 1, 1] {
  // CHECK: nv.cluster.arrive
  // CHECK: nv.cluster.wait
  // CHECK: arith.cmpi ult, %{{.*}}, %c4_i32
  // CHECK: nv.setmaxnreg dec 40
  tile.role "load" (%instance) instances 1 warps 1 {
  }
  // CHECK: } else {
  // CHECK: nv.setmaxnreg inc 232
  tile.role "math" (%instance) instances 2 warps 4 {
    %a = tile.alloc : !a
    %b = tile.alloc : !b
    %zero = arith.constant dense<0.0> : !acc
    %s = tile.mma %a, %b, %zero : (!a, !b, !acc) -> !acc
  }
  // CHECK: nv.cluster.arrive
  // CHECK: nv.cluster.wait
  // CHECK: nv.return
}
