// RUN: tegula-opt %s --warp-plan-shared-memory --verify-diagnostics

!ring = !tile.ring<8 x [!tile.view<256x64xbf16, shared, #warp.shared<unit = 1, swizzle = 128, panel = 128, rows = 256>>]>

// 8 stages of 256 * 64 * 2 = 32768 bytes, behind barriers in the first 1024.
// expected-error @+1 {{needs 263168 bytes of shared memory; a block has at most 232448, use fewer stages or smaller tiles}}
tile.kernel @plan() target "sm_90a" cluster [1, 1, 1] {
  // expected-note @+1 {{8 stages of 32768 bytes}}
  %r = warp.ring bytes 32768 full_arrivals 1 empty_arrivals 8 : !ring
}
