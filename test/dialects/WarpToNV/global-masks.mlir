// RUN: tegula-opt %s --warp-assign-fragments --convert-tile-to-warp --warp-plan-shared-memory --convert-warp-to-nv --canonicalize --cse | FileCheck %s

!global = !tile.global<?xf32, unit = 0>

// A tile inside its tensor moves in vectors of 16 bytes without predicates; one that sticks out, element by element, each
// under its own.
// CHECK-LABEL: nv.kernel @masks
tile.kernel @masks(%X: !global dims ["n"] align 16, %n: index) target "sm_90a" cluster [1, 1, 1] {
  tile.role "all" (%instance) instances 1 warps 4 {
    %c0 = arith.constant 0 : index
    %v = tile.slice %X[%c0] : !global to !tile.view<512xf32, global>
    // CHECK: scf.if
    // CHECK: nv.ld.global %{{[^ ]*}} : vector<4xf32>
    // CHECK: } else {
    // CHECK-COUNT-4: nv.ld.global %{{.*}} if %{{.*}} : vector<1xf32>
    %x = tile.load %v : !tile.view<512xf32, global> to tensor<512xf32>
    // CHECK: nv.st.global %{{[^ ]*}}, %{{[^ ]*}} : vector<4xf32>
    // CHECK: } else {
    // CHECK-COUNT-4: nv.st.global %{{.*}}, %{{.*}} if %{{.*}} : vector<1xf32>
    tile.store %x, %v : tensor<512xf32> to !tile.view<512xf32, global>
  }
}
