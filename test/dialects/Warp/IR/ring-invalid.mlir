// RUN: tegula-opt %s --split-input-file --verify-diagnostics

#k_major = #warp.shared<unit = 1, swizzle = 128, panel = 128, rows = 128>
!ring = !tile.ring<4 x [!tile.view<128x64xbf16, shared, #k_major>]>
tile.kernel @arrivals() target "sm_90a" cluster [1, 1, 1] {
  // expected-error @+1 {{'warp.ring' op R1: 0 and 4 arrivals; a barrier takes 1 to 1048575}}
  %r = warp.ring bytes 16384 full_arrivals 0 empty_arrivals 4 : !ring
}

// -----

#k_major = #warp.shared<unit = 1, swizzle = 128, panel = 128, rows = 128>
!ring = !tile.ring<4 x [!tile.view<128x64xbf16, shared, #k_major>]>
tile.kernel @bytes() target "sm_90a" cluster [1, 1, 1] {
  // expected-error @+1 {{'warp.ring' op R2: 1048576 bytes a stage; a barrier counts up to 1048575, use smaller slots}}
  %r = warp.ring bytes 1048576 full_arrivals 1 empty_arrivals 4 : !ring
}

// -----

!ring = !tile.ring<4 x [!tile.view<128x64xbf16, shared>]>
tile.kernel @layout() target "sm_90a" cluster [1, 1, 1] {
  // expected-error @+1 {{'warp.ring' op R3: slot '!tile.view<128x64xbf16, shared>' has no layout}}
  %r = warp.ring bytes 16384 full_arrivals 1 empty_arrivals 4 : !ring
}

// -----

tile.kernel @alloc() target "sm_90a" cluster [1, 1, 1] {
  // expected-error @+1 {{'warp.alloc' op A1: '!tile.view<64x64xf32, shared>' has no layout}}
  %s = warp.alloc : !tile.view<64x64xf32, shared>
}

// -----

// Rows 0 to 7 of 16: the lanes reach only half of the tile.
// expected-error @+1 {{'#warp.fragment' F1:}}
func.func private @fragment(tensor<16x8xf32, #warp.fragment<"reg = [2:1@1], lane = [4:2@1, 8:1@0], warp = []">>)
