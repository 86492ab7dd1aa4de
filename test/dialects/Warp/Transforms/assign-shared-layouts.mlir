// RUN: tegula-opt %s --warp-assign-shared-layouts --split-input-file | FileCheck %s

// A slot takes the unit dim of the tensor that fills it: 64 bf16 of k are 128 bytes, one panel of the widest swizzle. Its
// transpose, which the product reads, is the same memory with the unit dim first.
// CHECK-LABEL: tile.kernel @k_major
tile.kernel @k_major(%B: !tile.global<?x?xbf16, unit = 1> dims ["N", "K"] align 16, %N: index, %K: index) target "sm_90a" cluster [1, 1, 1] {
  // CHECK: tile.ring : !tile.ring<2 x [!tile.view<256x64xbf16, shared, #warp.shared<unit = 1, swizzle = 128, panel = 128, rows = 256>>]>
  %r = tile.ring : !tile.ring<2 x [!tile.view<256x64xbf16, shared>]>
  tile.role "load" (%instance) instances 1 warps 1 {
    %c0 = arith.constant 0 : index
    %b = tile.produce %r : !tile.ring<2 x [!tile.view<256x64xbf16, shared>]>
    %v = tile.slice %B[%c0, %c0] : !tile.global<?x?xbf16, unit = 1> to !tile.view<256x64xbf16, global>
    tile.copy %v to %b : !tile.view<256x64xbf16, global> to !tile.view<256x64xbf16, shared>
  }
  tile.role "read" (%instance) instances 1 warps 4 {
    %b = tile.consume %r : !tile.ring<2 x [!tile.view<256x64xbf16, shared>]>
    // CHECK: tile.transpose {{.*}} to !tile.view<64x256xbf16, shared, #warp.shared<unit = 0, swizzle = 128, panel = 128, rows = 256>>
    %t = tile.transpose %b permutation = [1, 0] : !tile.view<256x64xbf16, shared> to !tile.view<64x256xbf16, shared>
    %x = tile.load %t : !tile.view<64x256xbf16, shared> to tensor<64x256xbf16>
  }
}

// -----

// Only threads touch this tile, and its rows are a multiple of 128 bytes: one more word a row moves each to other banks.
// CHECK-LABEL: tile.kernel @threads
tile.kernel @threads() target "sm_90a" cluster [1, 1, 1] {
  tile.role "all" (%instance) instances 1 warps 4 {
    // CHECK: tile.alloc : !tile.view<64x64xf32, shared, #warp.shared<unit = 1, swizzle = 0, panel = 256, rows = 64, padding = 4>>
    %s = tile.alloc : !tile.view<64x64xf32, shared>
  }
}
