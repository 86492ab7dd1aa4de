// RUN: tegula-opt %s --convert-tile-to-warp --split-input-file --verify-diagnostics

#acc = #warp.fragment<"reg = [2:1@1, 2:8@0, 2:8@1], lane = [4:2@1, 8:1@0], warp = [4:16@0]">
!acc = tensor<64x16xf32, #acc>
!a = !tile.view<64x64xbf16, shared, #warp.shared<unit = 1, swizzle = 128, panel = 128, rows = 64>>
!b = !tile.view<64x16xbf16, shared, #warp.shared<unit = 0, swizzle = 128, panel = 128, rows = 16>>

// (40 + 2 * 240) * 128 = 66560; 384 threads of 168 are 64512.
// expected-error @+1 {{roles ask for 66560 registers; a block of 384 threads has 64512, lower a role's 'registers'}}
tile.kernel @pool() target "sm_90a" cluster [1, 1, 1] {
  tile.role "load" (%instance) instances 1 warps 4 registers 40 {
  }
  tile.role "math" (%instance) instances 2 warps 4 registers 240 {
    %a = tile.alloc : !a
    %b = tile.alloc : !b
    %zero = arith.constant dense<0.0> : !acc
    %s = tile.mma %a, %b, %zero : (!a, !b, !acc) -> !acc
  }
}

// -----

tile.kernel @lonely_ring() target "sm_90a" cluster [1, 1, 1] {
  // expected-error @+1 {{a ring needs a role that produces and one that consumes; this one lacks the former}}
  %r = tile.ring : !tile.ring<2 x [!tile.view<128x64xbf16, shared, #warp.shared<unit = 1, swizzle = 128, panel = 128, rows = 128>>]>
}
