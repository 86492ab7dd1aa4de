// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s --split-input-file --verify-diagnostics

tile.kernel @k(%M: index) target "sm_90a" cluster [1, 1, 1] {
  // expected-error @+1 {{'tile.tiles' op T1: there are 1 extents; the index space has rank 2}}
  %t = tile.tiles (%M) raster 1 : !tile.tiles<2>
}

// -----

tile.kernel @k(%M: index) target "sm_90a" cluster [1, 1, 1] {
  // expected-error @+1 {{'tile.tiles' op T2: raster is 0; it must be at least 1}}
  %t = tile.tiles (%M) raster 0 : !tile.tiles<1>
}

// -----

tile.kernel @k(%M: index) target "sm_90a" cluster [1, 1, 1] {
  // expected-error @+1 {{'tile.tiles' op T3: serpentine turns round from tile to tile of a block; only persistent blocks take many}}
  %t = tile.tiles (%M) raster 1 {serpentine} : !tile.tiles<1>
}

// -----

tile.kernel @k(%M: index) target "sm_90a" cluster [1, 1, 1] {
  %t = tile.tiles (%M) raster 1 : !tile.tiles<1>
  // expected-error @+1 {{'tile.for_tiles' op F1: the region has 1 arguments; it must have 2, each an index}}
  "tile.for_tiles"(%u) ({
  ^bb0(%i: index):
    tile.yield
  }) : (!tile.tiles<2>) -> ()
  %u = tile.tiles (%M, %M) raster 1 : !tile.tiles<2>
}

// -----

tile.kernel @k(%M: index) target "sm_90a" cluster [1, 1, 1] {
  %t = tile.tiles (%M) raster 1 : !tile.tiles<1>
  // expected-note @+1 {{the outer walk is here; use a loop for the inner one}}
  tile.for_tiles %t (%i) {
    // expected-error @+1 {{'tile.for_tiles' op F2: walks tiles inside another walk over tiles}}
    tile.for_tiles %t (%j) {
    }
  }
}

// -----

tile.kernel @k(%M: index) target "sm_90a" cluster [1, 1, 1] {
  tile.role "a" (%i) instances 2 warps 4 {
    // expected-error @+1 {{'tile.turn' op U1: the instance must be the argument of the role around it}}
    tile.turn %M {
    }
  }
}

// -----

tile.kernel @k(%x: f32) target "sm_90a" cluster [1, 1, 1] {
  tile.role "a" (%i) instances 2 warps 4 {
    // expected-error @+1 {{'tile.turn' op U2: the region yields 1 values, the op has 0 results; their types must be equal}}
    tile.turn %i {
      tile.yield %x : f32
    }
  }
}

// -----

tile.kernel @k(%x: f32) target "sm_90a" cluster [1, 1, 1] {
  tile.role "a" (%i) instances 2 warps 4 {
    // expected-error @+1 {{'tile.yield' op Y1: yields 1 values; only a turn takes any}}
    tile.yield %x : f32
  }
}
