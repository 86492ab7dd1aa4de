// RUN: tegula-opt %s --warp-assign-shared-layouts --tile-expand-copies --warp-assign-fragments --convert-tile-to-warp --split-input-file --verify-diagnostics

!a = !tile.view<64x64xbf16, shared>
!ring = !tile.ring<2 x [!tile.view<64x64xbf16, shared>]>
!global = !tile.global<?x?xbf16, unit = 1>

// The first stage is handed on when the second is taken: what comes into it later would arrive in the wrong one.
tile.kernel @late(%A: !global dims ["M", "K"] align 16, %M: index, %K: index) target "sm_90a" cluster [1, 1, 1] {
  %r = tile.ring : !ring
  tile.role "load" (%instance) instances 1 warps 1 {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %x = tile.slice %A[%c0, %c0] : !global to !tile.view<64x64xbf16, global>
    %y = tile.slice %A[%c0, %c64] : !global to !tile.view<64x64xbf16, global>
    %a = tile.produce %r : !ring
    // expected-note @+1 {{the next one is taken here; fill the first before}}
    %b = tile.produce %r : !ring
    // expected-error @+1 {{a slot is filled after the next one of its ring was taken}}
    tile.copy %x to %a : !tile.view<64x64xbf16, global> to !a
    tile.copy %y to %b : !tile.view<64x64xbf16, global> to !a
  }
  tile.role "read" (%instance) instances 1 warps 4 {
    %a = tile.consume %r : !ring
    %t = tile.load %a : !a to tensor<64x64xbf16>
    %b = tile.consume %r : !ring
    %u = tile.load %b : !a to tensor<64x64xbf16>
  }
}
