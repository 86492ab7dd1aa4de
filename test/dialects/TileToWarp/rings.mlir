// RUN: tegula-opt %s --warp-assign-shared-layouts --tile-expand-copies --warp-assign-fragments --convert-tile-to-warp --split-input-file | FileCheck %s

!a = !tile.view<128x64xbf16, shared>
!b = !tile.view<256x64xbf16, shared>
!ring = !tile.ring<4 x [!tile.view<128x64xbf16, shared>, !tile.view<256x64xbf16, shared>]>
!global = !tile.global<?x?xbf16, unit = 1>

// A stage brings (128 + 256) * 64 * 2 = 49152 bytes. One thread arrives at the full barrier. Each of the 2 * 4 warps that
// read arrives at the empty one, in both blocks of the cluster: 16. B's tile does not depend on the tile's dim 0, along
// which the blocks of a cluster differ, so they share it out along its rows; A's does.
// CHECK-LABEL: tile.kernel @shared_b
tile.kernel @shared_b(%A: !global dims ["M", "K"] align 16, %B: !global dims ["N", "K"] align 16, %M: index, %N: index, %K: index) target "sm_90a" cluster [2, 1, 1] {
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %ni = arith.ceildivsi %M, %c128 : index
  %nj = arith.ceildivsi %N, %c256 : index
  %t = tile.tiles (%ni, %nj) raster 8 {persistent} : !tile.tiles<2>
  // CHECK: warp.ring bytes 49152 full_arrivals 1 empty_arrivals 16 {blocks = 2 : i64}
  %r = tile.ring : !ring
  tile.role "load" (%instance) instances 1 warps 1 {
    %c0 = arith.constant 0 : index
    tile.for_tiles %t (%i, %j) {
      // CHECK: warp.acquire
      %a, %b = tile.produce %r : !ring
      %oa = arith.muli %i, %c128 : index
      %va = tile.slice %A[%oa, %c0] : !global to !tile.view<128x64xbf16, global>
      // CHECK: warp.tma_load %A[%{{.*}}, %{{.*}}] to %{{.*}} of %{{[^ ]*}} :
      tile.copy %va to %a : !tile.view<128x64xbf16, global> to !a
      %ob = arith.muli %j, %c256 : index
      %vb = tile.slice %B[%ob, %c0] : !global to !tile.view<256x64xbf16, global>
      // CHECK: warp.tma_load %B[%{{.*}}, %{{.*}}] to %{{.*}} of %{{[^ ]*}} {multicast = 0 : i64}
      tile.copy %vb to %b : !tile.view<256x64xbf16, global> to !b
      // CHECK-NEXT: warp.commit %{{[^ ]*}} :
    }
  }
  tile.role "read" (%instance) instances 2 warps 4 {
    tile.for_tiles %t (%i, %j) {
      // CHECK: warp.wait
      %a, %b = tile.consume %r : !ring
      %x = tile.load %a : !a to tensor<128x64xbf16>
    }
  }
}

// -----

!a = !tile.view<128x64xbf16, shared>
!ring = !tile.ring<2 x [!tile.view<128x64xbf16, shared>]>

// Threads fill the stage: no bytes; each of 4 warps arrives at the full barrier, after a fence, since others read through
// the asynchronous proxy.
// CHECK-LABEL: tile.kernel @threads
tile.kernel @threads(%A: !tile.global<?x?xbf16, unit = 1> dims ["M", "K"] align 2, %M: index, %K: index) target "sm_90a" cluster [1, 1, 1] {
  // CHECK: warp.ring bytes 0 full_arrivals 4 empty_arrivals 4
  %r = tile.ring : !ring
  tile.role "load" (%instance) instances 1 warps 4 {
    %c0 = arith.constant 0 : index
    %a = tile.produce %r : !ring
    %v = tile.slice %A[%c0, %c0] : !tile.global<?x?xbf16, unit = 1> to !tile.view<128x64xbf16, global>
    tile.copy %v to %a : !tile.view<128x64xbf16, global> to !a
    // CHECK: warp.commit %{{[^ ]*}} {fence}
  }
  tile.role "read" (%instance) instances 1 warps 4 {
    %a = tile.consume %r : !ring
    %x = tile.load %a : !a to tensor<128x64xbf16>
  }
}

// -----

!a = !tile.view<128x64xbf16, shared>
!ring = !tile.ring<2 x [!tile.view<128x64xbf16, shared>]>

// Two stages one after the other (hang-06): the first is full before the second is taken.
// CHECK-LABEL: tile.kernel @two_in_a_row
tile.kernel @two_in_a_row(%A: !tile.global<?x?xbf16, unit = 1> dims ["M", "K"] align 16, %M: index, %K: index) target "sm_90a" cluster [1, 1, 1] {
  %r = tile.ring : !ring
  tile.role "load" (%instance) instances 1 warps 1 {
    %c0 = arith.constant 0 : index
    %v = tile.slice %A[%c0, %c0] : !tile.global<?x?xbf16, unit = 1> to !tile.view<128x64xbf16, global>
    // CHECK: warp.acquire
    %a = tile.produce %r : !ring
    // CHECK: warp.tma_load
    tile.copy %v to %a : !tile.view<128x64xbf16, global> to !a
    // CHECK-NEXT: warp.commit
    // CHECK-NEXT: warp.acquire
    %b = tile.produce %r : !ring
    // CHECK-NEXT: warp.tma_load
    tile.copy %v to %b : !tile.view<128x64xbf16, global> to !a
    // CHECK-NEXT: warp.commit
  }
  tile.role "read" (%instance) instances 1 warps 4 {
    %a = tile.consume %r : !ring
    %x = tile.load %a : !a to tensor<128x64xbf16>
    %b = tile.consume %r : !ring
    %y = tile.load %b : !a to tensor<128x64xbf16>
  }
}

// -----

!a = !tile.view<128x64xbf16, shared>
!ring = !tile.ring<2 x [!tile.view<128x64xbf16, shared>]>

// The next stage is taken in a loop: the first is full before that.
// CHECK-LABEL: tile.kernel @then_a_loop
tile.kernel @then_a_loop(%A: !tile.global<?x?xbf16, unit = 1> dims ["M", "K"] align 16, %M: index, %K: index) target "sm_90a" cluster [1, 1, 1] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tile.ring : !ring
  tile.role "load" (%instance) instances 1 warps 1 {
    %v = tile.slice %A[%c0, %c0] : !tile.global<?x?xbf16, unit = 1> to !tile.view<128x64xbf16, global>
    // CHECK: warp.acquire
    %a = tile.produce %r : !ring
    tile.copy %v to %a : !tile.view<128x64xbf16, global> to !a
    // CHECK: warp.commit
    // CHECK-NEXT: scf.for
    scf.for %k = %c0 to %K step %c1 {
      // CHECK: warp.acquire
      %b = tile.produce %r : !ring
      tile.copy %v to %b : !tile.view<128x64xbf16, global> to !a
      // CHECK: warp.commit
      // CHECK-NEXT: }
    }
  }
  tile.role "read" (%instance) instances 1 warps 4 {
    %a = tile.consume %r : !ring
    %x = tile.load %a : !a to tensor<128x64xbf16>
    scf.for %k = %c0 to %K step %c1 {
      %b = tile.consume %r : !ring
      %y = tile.load %b : !a to tensor<128x64xbf16>
    }
  }
}
