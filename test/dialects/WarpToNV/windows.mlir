// RUN: tegula-opt %s --warp-assign-shared-layouts --tile-expand-copies --warp-assign-fragments --convert-tile-to-warp --warp-plan-shared-memory --convert-warp-to-nv --canonicalize --cse | FileCheck %s

!lengths = !tile.global<?xi32, unit = 0>
!global = !tile.global<?x?xbf16, unit = 1>
!slot = !tile.view<64x64xbf16, shared>

// TMA shows rows from %first on: by coordinates, the tile's row moved by 2^30 less the window's rows, the row behind the
// window, and 2^30.
// CHECK-LABEL: nv.kernel @by_tma
tile.kernel @by_tma(%X: !global dims ["m", "n"] align 16, %Y: !global dims ["m", "n"] align 16, %m: index, %n: index) target "sm_90a" cluster [1, 1, 1] {
  %ring = tile.ring : !tile.ring<2 x [!slot]>
  tile.role "load" (%instance) instances 1 warps 1 {
    %c0 = arith.constant 0 : index
    %c7 = arith.constant 7 : index
    %c40 = arith.constant 40 : index
    // CHECK-DAG: %[[ROWS:.*]] = arith.constant 1073741824 : i32
    // CHECK: %[[FIRST:.*]] = arith.minsi %{{.*}}, %c7_i64 : i64
    // CHECK: %[[LEFT:.*]] = arith.subi %{{.*}}, %[[FIRST]] : i64
    // CHECK: %[[COUNT:.*]] = arith.minsi %[[LEFT]], %c40_i64 : i64
    // CHECK: %[[COUNT32:.*]] = arith.trunci %[[COUNT]] : i64 to i32
    // CHECK: %[[SHIFT:.*]] = arith.subi %[[ROWS]], %[[COUNT32]] : i32
    // CHECK: %[[FIRST32:.*]] = arith.trunci %[[FIRST]] : i64 to i32
    // CHECK: %[[END:.*]] = arith.addi %[[FIRST32]], %[[COUNT32]] : i32
    %window = tile.window %X[0 : %c7, %c40] : !global
    %tile = tile.slice %window[%c0, %c0] : !global to !tile.view<64x64xbf16, global>
    %slot = tile.produce %ring : !tile.ring<2 x [!slot]>
    // CHECK: nv.tma.load %{{.*}}[%c0_i32, %[[SHIFT]], %[[END]], %[[ROWS]]]
    tile.copy %tile to %slot : !tile.view<64x64xbf16, global> to !slot
  }
  tile.role "store" (%instance) instances 1 warps 4 {
    %c0 = arith.constant 0 : index
    %slot = tile.consume %ring : !tile.ring<2 x [!slot]>
    %x = tile.load %slot : !slot to tensor<64x64xbf16>
    %tile = tile.slice %Y[%c0, %c0] : !global to !tile.view<64x64xbf16, global>
    tile.store %x, %tile : tensor<64x64xbf16> to !tile.view<64x64xbf16, global>
  }
}

// Along the dim of stride 1 no map can show a window; threads see a tensor that begins and ends elsewhere.
// CHECK-LABEL: nv.kernel @by_threads
tile.kernel @by_threads(%X: !lengths dims ["m"] align 16, %m: index) target "sm_90a" cluster [1, 1, 1] {
  tile.role "all" (%instance) instances 1 warps 4 {
    %c2 = arith.constant 2 : index
    // CHECK: %[[FIRST:.*]] = arith.minsi %{{.*}}, %c2_i64 : i64
    // CHECK: %[[BYTES:.*]] = arith.muli %[[FIRST]], %c4_i64 : i64
    // CHECK: %[[BEGIN:.*]] = nv.global.offset %{{.*}}, %[[BYTES]]
    %window = tile.window %X[0 : %c2, %m] : !lengths
    // CHECK: nv.global.offset %[[BEGIN]], %{{.*}}
    // CHECK: nv.ld.global %{{.*}} if %{{.*}} : vector<1xi32>
    %n = tile.read %window[%c2] : !lengths to i32
    %x = tile.splat %n : i32 to tensor<128xi32>
    %tile = tile.slice %X[%c2] : !lengths to !tile.view<128xi32, global>
    tile.store %x, %tile : tensor<128xi32> to !tile.view<128xi32, global>
  }
}
