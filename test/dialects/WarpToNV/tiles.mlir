// RUN: tegula-opt %s --convert-tile-to-warp --warp-plan-shared-memory --convert-warp-to-nv --canonicalize --split-input-file | FileCheck %s

// Block b of n takes tile b, then n + b, and so on.
// CHECK-LABEL: nv.kernel @forward
tile.kernel @forward(%N: index) target "sm_90a" cluster [1, 1, 1] {
  %t = tile.tiles (%N) raster 1 {persistent} : !tile.tiles<1>
  tile.role "all" (%instance) instances 1 warps 4 {
    // CHECK: %[[FIRST:.*]] = nv.block_id
    // CHECK: %[[STEP:.*]] = nv.grid_size
    // CHECK: scf.for %{{.*}} = %[[FIRST]] to %{{.*}} step %[[STEP]]
    // CHECK-NOT: scf.if
    tile.for_tiles %t (%i) {
      tile.griddep.wait
    }
  }
}

// -----

// In odd rounds the last block takes the first tile: round * n + (n - 1 - b). The rounds are whole, and a block may find
// no tile in the last one.
// CHECK-LABEL: nv.kernel @serpentine
tile.kernel @serpentine(%N: index) target "sm_90a" cluster [1, 1, 1] {
  %t = tile.tiles (%N) raster 1 {persistent, serpentine} : !tile.tiles<1>
  tile.role "all" (%instance) instances 1 warps 4 {
    // CHECK: %[[FIRST:.*]] = nv.block_id
    // CHECK: %[[STEP:.*]] = nv.grid_size
    // CHECK: %[[ROUNDS:.*]] = arith.ceildivui %[[TOTAL:.*]], %[[STEP]]
    // CHECK: %[[END:.*]] = arith.muli %[[ROUNDS]], %[[STEP]]
    // CHECK: scf.for %[[NUMBER:.*]] = %[[FIRST]] to %[[END]] step %[[STEP]]
    // CHECK: %[[ROUND:.*]] = arith.divui %[[NUMBER]], %[[STEP]]
    // CHECK: %[[ODD:.*]] = arith.trunci %[[ROUND]] : i32 to i1
    // CHECK: %[[TAKEN:.*]] = arith.select %[[ODD]], %{{.*}}, %[[NUMBER]]
    // CHECK: %[[EXISTS:.*]] = arith.cmpi ult, %[[TAKEN]], %[[TOTAL]]
    // CHECK: scf.if %[[EXISTS]]
    tile.for_tiles %t (%i) {
      tile.griddep.wait
    }
  }
}
