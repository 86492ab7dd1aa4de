// RUN: tegula-opt %s --convert-tile-to-warp --split-input-file | FileCheck %s

#acc = #warp.fragment<"reg = [2:1@1, 2:8@0, 8:8@1], lane = [4:2@1, 8:1@0], warp = [4:16@0]">
!x = tensor<64x64xbf16, #acc>
!global = !tile.global<?x?xbf16, unit = 1>

// A thread of an accumulator has 2 neighbours of a row, 4 bytes: TMA stores the tile, through a staging tile that it reads.
// CHECK: tile.kernel @tma{{.*}}D.store = "TMA"
tile.kernel @tma(%D: !global dims ["M", "N"] align 16, %M: index, %N: index multiple 8) target "sm_90a" cluster [1, 1, 1] {
  tile.role "all" (%instance) instances 1 warps 4 {
    // CHECK: %[[S:.*]] = warp.alloc {per_instance} : <1x64x64xbf16, shared
    %c0 = arith.constant 0 : index
    %x = arith.constant dense<1.0> : !x
    %v = tile.slice %D[%c0, %c0] : !global to !tile.view<64x64xbf16, global>
    // CHECK: warp.tma_store %{{.*}} to %D[%{{.*}}, %{{.*}}] through %[[S]]
    tile.store %x, %v : !x to !tile.view<64x64xbf16, global>
  }
}

// -----

#acc = #warp.fragment<"reg = [2:1@1, 2:8@0, 8:8@1], lane = [4:2@1, 8:1@0], warp = [4:16@0]">
!x = tensor<64x64xbf16, #acc>
!global = !tile.global<?x?xbf16, unit = 1>

// Rows of any length: TMA would overwrite what lies behind a row's end (it clips in steps of 16 bytes). Threads store, and
// first respread the tile through shared memory, so that neighbours of a row lie in neighbouring lanes.
// CHECK: tile.kernel @ragged{{.*}}D.store = "threads: rows are promised to be multiples of 2 bytes long; TMA clips what it stores in steps of 16"
tile.kernel @ragged(%D: !global dims ["M", "N"] align 16, %M: index, %N: index) target "sm_90a" cluster [1, 1, 1] {
  tile.role "all" (%instance) instances 1 warps 4 {
    %c0 = arith.constant 0 : index
    %x = arith.constant dense<1.0> : !x
    %v = tile.slice %D[%c0, %c0] : !global to !tile.view<64x64xbf16, global>
    // CHECK: tile.store
    // CHECK: tile.load
    // CHECK: warp.store_global
    tile.store %x, %v : !x to !tile.view<64x64xbf16, global>
  }
}
