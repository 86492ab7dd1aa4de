// RUN: tegula-opt %s --warp-insert-waits --split-input-file | FileCheck %s

!acc = tensor<64x16xf32, #warp.fragment<"reg = [2:1@1, 2:8@0, 2:8@1], lane = [4:2@1, 8:1@0], warp = [4:16@0]">>
!a = !tile.view<64x64xbf16, shared, #warp.shared<unit = 1, swizzle = 128, panel = 128, rows = 64>>
!b = !tile.view<64x16xbf16, shared, #warp.shared<unit = 0, swizzle = 128, panel = 128, rows = 16>>
!ring = !tile.ring<3 x [!tile.view<64x64xbf16, shared, #warp.shared<unit = 1, swizzle = 128, panel = 128, rows = 64>>, !tile.view<64x16xbf16, shared, #warp.shared<unit = 0, swizzle = 128, panel = 128, rows = 16>>]>

// A product that only feeds the next one stays in flight over the loop's edge: iteration i waits for product i - 1 and
// frees its stage, in all but the first iteration; behind the loop the last one is waited for and freed, if there was one.
// CHECK-LABEL: tile.kernel @accumulate
tile.kernel @accumulate(%n: index) target "sm_90a" cluster [1, 1, 1] {
  %r = warp.ring bytes 10240 full_arrivals 1 empty_arrivals 4 : !ring
  tile.role "math" (%instance) instances 1 warps 4 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    // CHECK: %[[RAN:.*]] = arith.cmpi slt
    // CHECK: scf.for
    %d = scf.for %i = %c0 to %n step %c1 iter_args(%c = %zero) -> (!acc) {
      // CHECK: %[[AGAIN:.*]] = arith.cmpi ne
      %a, %b = warp.wait %r : (!ring) -> (!a, !b)
      // CHECK: warp.mma
      %s = warp.mma %a, %b, %c : (!a, !b, !acc) -> !acc
      // CHECK-NEXT: warp.mma_wait pending 1
      // CHECK-NEXT: warp.release %{{.*}} if %[[AGAIN]]
      scf.yield %s : !acc
    }
    // CHECK: }
    // CHECK: warp.mma_wait pending 0
    // CHECK-NEXT: warp.release %{{.*}} if %[[RAN]]
    // CHECK-NEXT: math.exp2
    %e = math.exp2 %d : !acc
  }
}

// -----

!acc = tensor<64x16xf32, #warp.fragment<"reg = [2:1@1, 2:8@0, 2:8@1], lane = [4:2@1, 8:1@0], warp = [4:16@0]">>
!a = !tile.view<64x64xbf16, shared, #warp.shared<unit = 1, swizzle = 128, panel = 128, rows = 64>>
!b = !tile.view<64x16xbf16, shared, #warp.shared<unit = 0, swizzle = 128, panel = 128, rows = 16>>

// Two products in flight: the use of the first leaves the second one in flight, the use of the second none.
// CHECK-LABEL: tile.kernel @order
tile.kernel @order() target "sm_90a" cluster [1, 1, 1] {
  tile.role "math" (%instance) instances 1 warps 4 {
    %a = warp.alloc : !a
    %b = warp.alloc : !b
    %zero = arith.constant dense<0.0> : !acc
    %s = warp.mma %a, %b, %zero : (!a, !b, !acc) -> !acc
    %t = warp.mma %a, %b, %zero : (!a, !b, !acc) -> !acc
    // CHECK: warp.mma_wait pending 1
    // CHECK-NEXT: math.exp2
    %e = math.exp2 %s : !acc
    // CHECK: warp.mma_wait pending 0
    // CHECK-NEXT: math.exp2
    %f = math.exp2 %t : !acc
  }
}

// -----

!acc = tensor<64x16xf32, #warp.fragment<"reg = [2:1@1, 2:8@0, 2:8@1], lane = [4:2@1, 8:1@0], warp = [4:16@0]">>
!a = !tile.view<64x64xbf16, shared, #warp.shared<unit = 1, swizzle = 128, panel = 128, rows = 64>>
!b = !tile.view<64x16xbf16, shared, #warp.shared<unit = 0, swizzle = 128, panel = 128, rows = 16>>
!ring = !tile.ring<1 x [!tile.view<64x64xbf16, shared, #warp.shared<unit = 1, swizzle = 128, panel = 128, rows = 64>>, !tile.view<64x16xbf16, shared, #warp.shared<unit = 0, swizzle = 128, panel = 128, rows = 16>>]>

// A ring of one stage can only be filled again when that stage is free: nothing is left to the next iteration.
// CHECK-LABEL: tile.kernel @one_stage
tile.kernel @one_stage(%n: index) target "sm_90a" cluster [1, 1, 1] {
  %r = warp.ring bytes 10240 full_arrivals 1 empty_arrivals 4 : !ring
  tile.role "math" (%instance) instances 1 warps 4 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    %d = scf.for %i = %c0 to %n step %c1 iter_args(%c = %zero) -> (!acc) {
      %a, %b = warp.wait %r : (!ring) -> (!a, !b)
      // CHECK: warp.mma %
      %s = warp.mma %a, %b, %c : (!a, !b, !acc) -> !acc
      // CHECK-NEXT: warp.mma_wait pending 0
      // CHECK-NEXT: warp.release %{{[^ ]*}} :
      scf.yield %s : !acc
    }
  }
}

// -----

!acc = tensor<64x16xf32, #warp.fragment<"reg = [2:1@1, 2:8@0, 2:8@1], lane = [4:2@1, 8:1@0], warp = [4:16@0]">>
!a = !tile.view<64x64xbf16, shared, #warp.shared<unit = 1, swizzle = 128, panel = 128, rows = 64>>
!b = !tile.view<64x16xbf16, shared, #warp.shared<unit = 0, swizzle = 128, panel = 128, rows = 16>>

// What a turn hands on is in flight behind it, and waited for where it is used.
// CHECK-LABEL: tile.kernel @turn_hands_on
tile.kernel @turn_hands_on() target "sm_90a" cluster [1, 1, 1] {
  tile.role "math" (%instance) instances 2 warps 4 {
    %a = warp.alloc : !a
    %b = warp.alloc : !b
    %zero = arith.constant dense<0.0> : !acc
    // CHECK: tile.turn
    %st:2 = tile.turn %instance -> (!acc, !acc) {
      // CHECK: warp.mma
      %s = warp.mma %a, %b, %zero : (!a, !b, !acc) -> !acc
      // CHECK: warp.mma
      %t = warp.mma %a, %b, %zero : (!a, !b, !acc) -> !acc
      // CHECK-NEXT: tile.yield
      tile.yield %s, %t : !acc, !acc
    }
    // CHECK: warp.mma_wait pending 1
    // CHECK-NEXT: math.exp2
    %e = math.exp2 %st#0 : !acc
    // CHECK: warp.mma_wait pending 0
    // CHECK-NEXT: math.exp2
    %f = math.exp2 %st#1 : !acc
  }
}

// -----

!acc = tensor<64x16xf32, #warp.fragment<"reg = [2:1@1, 2:8@0, 2:8@1], lane = [4:2@1, 8:1@0], warp = [4:16@0]">>
!a = !tile.view<64x64xbf16, shared, #warp.shared<unit = 1, swizzle = 128, panel = 128, rows = 64>>
!b = !tile.view<64x16xbf16, shared, #warp.shared<unit = 0, swizzle = 128, panel = 128, rows = 16>>

// What a turn keeps to itself is waited for before the next instance's turn.
// CHECK-LABEL: tile.kernel @turn_keeps
tile.kernel @turn_keeps() target "sm_90a" cluster [1, 1, 1] {
  tile.role "math" (%instance) instances 2 warps 4 {
    %a = warp.alloc : !a
    %b = warp.alloc : !b
    %zero = arith.constant dense<0.0> : !acc
    // CHECK: tile.turn
    tile.turn %instance {
      // CHECK: warp.mma
      %s = warp.mma %a, %b, %zero : (!a, !b, !acc) -> !acc
      // CHECK-NEXT: warp.mma_wait pending 0
    }
  }
}

// -----

!acc = tensor<64x16xf32, #warp.fragment<"reg = [2:1@1, 2:8@0, 2:8@1], lane = [4:2@1, 8:1@0], warp = [4:16@0]">>
!b = !tile.view<64x16xbf16, shared, #warp.shared<unit = 0, swizzle = 128, panel = 128, rows = 16>>
!slot = !tile.view<64x64xbf16, shared, #warp.shared<unit = 1, swizzle = 128, panel = 128, rows = 64>>
!ring = !tile.ring<1 x [!tile.view<64x64xbf16, shared, #warp.shared<unit = 1, swizzle = 128, panel = 128, rows = 64>>]>

// A stage that was entered before a loop and is read in it is freed behind the loop.
// CHECK-LABEL: tile.kernel @read_in_loop
tile.kernel @read_in_loop(%n: index) target "sm_90a" cluster [1, 1, 1] {
  %r = warp.ring bytes 8192 full_arrivals 1 empty_arrivals 4 : !ring
  tile.role "math" (%instance) instances 1 warps 4 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : !acc
    %b = warp.alloc : !b
    %q = warp.wait %r : (!ring) -> (!slot)
    // CHECK: scf.for
    %d = scf.for %i = %c0 to %n step %c1 iter_args(%c = %zero) -> (!acc) {
      %s = warp.mma %q, %b, %zero : (!slot, !b, !acc) -> !acc
      %e = math.exp2 %s : !acc
      // CHECK-NOT: warp.release
      // CHECK: scf.yield
      scf.yield %e : !acc
    }
    // CHECK-NEXT: }
    // CHECK-NEXT: warp.release
  }
}
