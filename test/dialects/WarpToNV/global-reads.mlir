// RUN: tegula-opt %s --warp-assign-fragments --convert-tile-to-warp --warp-plan-shared-memory --convert-warp-to-nv --canonicalize --cse | FileCheck %s

!lengths = !tile.global<?xi32, unit = 0>
!global = !tile.global<?xf32, unit = 0>

// An element outside its tensor is not read: indices are compared as unsigned numbers, so that those below zero are
// outside as well.
// CHECK-LABEL: nv.kernel @reads
tile.kernel @reads(%L: !lengths dims ["b"] align 4, %X: !global dims ["n"] align 16, %b: index, %n: index) target "sm_90a" cluster [1, 1, 1] {
  tile.role "all" (%instance) instances 1 warps 4 {
    %c3 = arith.constant 3 : index
    // CHECK: %[[INSIDE:.*]] = arith.cmpi ugt, %{{.*}}, %c3_i64 : i64
    // CHECK: nv.ld.global %{{.*}} if %[[INSIDE]] : vector<1xi32>
    %length = tile.read %L[%c3] : !lengths to i32
    %offset = arith.index_cast %length : i32 to index
    %v = tile.slice %X[%offset] : !global to !tile.view<512xf32, global>
    %zero = arith.constant dense<0.0> : tensor<512xf32>
    tile.store %zero, %v : tensor<512xf32> to !tile.view<512xf32, global>
  }
}
