// RUN: tegula-opt %s --warp-insert-syncs --split-input-file | FileCheck %s

!x = tensor<8x128xf32, #warp.fragment<"reg = [4:1@1, 2:4@0], lane = [32:4@1], warp = [4:1@0]">>
!s = !tile.view<8x128xf32, shared, #warp.shared<unit = 1, swizzle = 0, panel = 512, rows = 8>>

// Threads read what others wrote: a barrier between; and before the next iteration's store, which would overtake readers.
// CHECK-LABEL: tile.kernel @loop
tile.kernel @loop(%n: index) target "sm_90a" cluster [1, 1, 1] {
  tile.role "all" (%instance) instances 1 warps 4 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = arith.constant dense<1.0> : !x
    %s = warp.alloc : !s
    scf.for %i = %c0 to %n step %c1 {
      // CHECK: warp.sync
      // CHECK-NEXT: tile.store
      tile.store %x, %s : !x to !s
      // CHECK-NEXT: warp.sync
      // CHECK-NEXT: tile.load
      %y = tile.load %s : !s to !x
    }
  }
}

// -----

!x = tensor<8x128xf32, #warp.fragment<"reg = [4:1@1, 2:4@0], lane = [32:4@1], warp = [4:1@0]">>
!s = !tile.view<8x128xf32, shared, #warp.shared<unit = 1, swizzle = 0, panel = 512, rows = 8>>

// Two loads do not conflict.
// CHECK-LABEL: tile.kernel @loads
tile.kernel @loads() target "sm_90a" cluster [1, 1, 1] {
  tile.role "all" (%instance) instances 1 warps 4 {
    // CHECK-NOT: warp.sync
    %s = warp.alloc : !s
    %x = tile.load %s : !s to !x
    %y = tile.load %s : !s to !x
  }
}
