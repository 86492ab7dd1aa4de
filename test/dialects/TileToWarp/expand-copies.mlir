// RUN: tegula-opt %s --warp-assign-shared-layouts --tile-expand-copies --split-input-file | FileCheck %s

// 16 bytes are promised for the base and the pitch: TMA fills the slot, and the copy stands.
// CHECK: tile.kernel @tma{{.*}}warp.paths = {A.load = "TMA"}
tile.kernel @tma(%A: !tile.global<?x?xbf16, unit = 1> dims ["M", "K"] align 16, %M: index, %K: index) target "sm_90a" cluster [1, 1, 1] {
  %r = tile.ring : !tile.ring<2 x [!tile.view<128x64xbf16, shared>]>
  tile.role "load" (%instance) instances 1 warps 1 {
    %c0 = arith.constant 0 : index
    %a = tile.produce %r : !tile.ring<2 x [!tile.view<128x64xbf16, shared>]>
    %v = tile.slice %A[%c0, %c0] : !tile.global<?x?xbf16, unit = 1> to !tile.view<128x64xbf16, global>
    // CHECK: tile.copy
    tile.copy %v to %a : !tile.view<128x64xbf16, global> to !tile.view<128x64xbf16, shared>
  }
  tile.role "read" (%instance) instances 1 warps 4 {
    %a = tile.consume %r : !tile.ring<2 x [!tile.view<128x64xbf16, shared>]>
  }
}

// -----

// Only the element's 2 bytes are promised: threads load and store.
// CHECK: tile.kernel @threads{{.*}}A.load = "threads: address and strides are promised to be multiples of 2 bytes; TMA needs 16"
tile.kernel @threads(%A: !tile.global<?x?xbf16, unit = 1> dims ["M", "K"] align 2, %M: index, %K: index) target "sm_90a" cluster [1, 1, 1] {
  %r = tile.ring : !tile.ring<2 x [!tile.view<128x64xbf16, shared>]>
  tile.role "load" (%instance) instances 1 warps 4 {
    %c0 = arith.constant 0 : index
    %a = tile.produce %r : !tile.ring<2 x [!tile.view<128x64xbf16, shared>]>
    %v = tile.slice %A[%c0, %c0] : !tile.global<?x?xbf16, unit = 1> to !tile.view<128x64xbf16, global>
    // CHECK-NOT: tile.copy
    // CHECK: %[[X:.*]] = tile.load
    // CHECK: tile.store %[[X]]
    tile.copy %v to %a : !tile.view<128x64xbf16, global> to !tile.view<128x64xbf16, shared>
  }
  tile.role "read" (%instance) instances 1 warps 4 {
    %a = tile.consume %r : !tile.ring<2 x [!tile.view<128x64xbf16, shared>]>
  }
}
