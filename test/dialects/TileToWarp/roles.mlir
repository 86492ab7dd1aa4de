// RUN: tegula-opt %s --convert-tile-to-warp --split-input-file | FileCheck %s

#acc = #warp.fragment<"reg = [2:1@1, 2:8@0, 2:8@1], lane = [4:2@1, 8:1@0], warp = [4:16@0]">
!acc = tensor<64x16xf32, #acc>
!a = !tile.view<64x64xbf16, shared, #warp.shared<unit = 1, swizzle = 128, panel = 128, rows = 64>>
!b = !tile.view<64x16xbf16, shared, #warp.shared<unit = 0, swizzle = 128, panel = 128, rows = 16>>

// Roles start at warpgroups: warps 0 and 4, 12 warps in all. At 384 threads the launch leaves 168 registers each, 504 for
// a thread of each warpgroup; the load role keeps 40, and (504 - 40) / 2 = 232 go to each math warpgroup.
// CHECK: tile.kernel @budgets{{.*}}warp.threads = 384
tile.kernel @budgets() target "sm_90a" cluster [1, 1, 1] {
  // CHECK: tile.role "load"{{.*}}warp.first_warp = 0 : i64, warp.registers = 40 : i64
  tile.role "load" (%instance) instances 1 warps 1 {
  }
  // CHECK: tile.role "math"{{.*}}warp.first_warp = 4 : i64, warp.registers = 232 : i64
  tile.role "math" (%instance) instances 2 warps 4 {
    %a = tile.alloc : !a
    %b = tile.alloc : !b
    %zero = arith.constant dense<0.0> : !acc
    %s = tile.mma %a, %b, %zero : (!a, !b, !acc) -> !acc
  }
}

// -----

#acc = #warp.fragment<"reg = [2:1@1, 2:8@0, 2:8@1], lane = [4:2@1, 8:1@0], warp = [4:16@0]">
!acc = tensor<64x16xf32, #acc>
!a = !tile.view<64x64xbf16, shared, #warp.shared<unit = 1, swizzle = 128, panel = 128, rows = 64>>
!b = !tile.view<64x16xbf16, shared, #warp.shared<unit = 0, swizzle = 128, panel = 128, rows = 16>>

// Where the roles with products say what they need, the others share what that leaves: 504 - 2 * 216 = 72.
// CHECK: tile.kernel @said
tile.kernel @said() target "sm_90a" cluster [1, 1, 1] {
  // CHECK: tile.role "load"{{.*}}warp.registers = 72 : i64
  tile.role "load" (%instance) instances 1 warps 1 {
  }
  // CHECK: tile.role "math"{{.*}}warp.registers = 216 : i64
  tile.role "math" (%instance) instances 2 warps 4 registers 216 {
    %a = tile.alloc : !a
    %b = tile.alloc : !b
    %zero = arith.constant dense<0.0> : !acc
    %s = tile.mma %a, %b, %zero : (!a, !b, !acc) -> !acc
  }
}

// -----

// One role of 4 warps moves no registers.
// CHECK: tile.kernel @alone{{.*}}warp.threads = 128
tile.kernel @alone() target "sm_90a" cluster [1, 1, 1] {
  // CHECK: tile.role
  // CHECK-NOT: warp.registers
  tile.role "all" (%instance) instances 1 warps 4 {
  }
}
