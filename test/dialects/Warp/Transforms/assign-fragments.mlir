// RUN: tegula-opt %s --warp-assign-shared-layouts --warp-assign-fragments --split-input-file | FileCheck %s

// What is loaded and stored alone is spread for 16-byte accesses along the unit dim: 4 f32 a lane, 32 lanes are 128
// columns, 4 warps take a row each, and 2 rows are left to registers.
// CHECK-LABEL: tile.kernel @blocked
tile.kernel @blocked(%X: !tile.global<?x?xf32, unit = 1> dims ["M", "N"] align 16, %M: index, %N: index) target "sm_90a" cluster [1, 1, 1] {
  tile.role "all" (%instance) instances 1 warps 4 {
    %c0 = arith.constant 0 : index
    %v = tile.slice %X[%c0, %c0] : !tile.global<?x?xf32, unit = 1> to !tile.view<8x128xf32, global>
    // CHECK: tile.load {{.*}} to tensor<8x128xf32, #warp.fragment<"reg = [4:1@1, 2:{{.*}}@0], lane = [32:4@1], warp = [4:{{.*}}@0]">>
    %x = tile.load %v : !tile.view<8x128xf32, global> to tensor<8x128xf32>
    tile.store %x, %v : tensor<8x128xf32> to !tile.view<8x128xf32, global>
  }
}

// -----

// An accumulator is spread as wgmma has it (PTX ISA 9.0, wgmma.mma_async), and what is computed from it follows; a row
// sum is replicated over the four lanes of a quad.
// CHECK-LABEL: tile.kernel @accumulator
tile.kernel @accumulator() target "sm_90a" cluster [1, 1, 1] {
  tile.role "math" (%instance) instances 1 warps 4 {
    %a = tile.alloc : !tile.view<64x64xbf16, shared>
    %b = tile.alloc : !tile.view<64x16xbf16, shared>
    %zero = arith.constant dense<0.0> : tensor<64x16xf32>
    // CHECK: tile.mma {{.*}} -> tensor<64x16xf32, #warp.fragment<"reg = [2:1@1, 2:8@0, 2:8@1], lane = [4:2@1, 8:1@0], warp = [4:16@0]">>
    %d = tile.mma %a, %b, %zero : (!tile.view<64x64xbf16, shared>, !tile.view<64x16xbf16, shared>, tensor<64x16xf32>) -> tensor<64x16xf32>
    // CHECK: math.exp2 {{.*}} : tensor<64x16xf32, #warp.fragment<"reg = [2:1@1, 2:8@0, 2:8@1], lane = [4:2@1, 8:1@0], warp = [4:16@0]">>
    %e = math.exp2 %d : tensor<64x16xf32>
    // CHECK: tile.reduce {{.*}} to tensor<64xf32, #warp.fragment<"reg = [2:8@0], lane = [4:*, 8:1@0], warp = [4:16@0]">>
    %s = tile.reduce %e, add dim 1 : tensor<64x16xf32> to tensor<64xf32>
  }
}

// -----

// Four warps share a row of 1024: 8 registers a lane in each. Before the sum every warp gets the whole row, 4 * 8 registers
// a lane, so that no sum crosses warps.
// CHECK-LABEL: tile.kernel @across_warps
tile.kernel @across_warps(%X: !tile.global<?x?xf32, unit = 1> dims ["M", "N"] align 16, %M: index, %N: index) target "sm_90a" cluster [1, 1, 1] {
  tile.role "all" (%instance) instances 1 warps 4 {
    %c0 = arith.constant 0 : index
    %v = tile.slice %X[%c0, %c0] : !tile.global<?x?xf32, unit = 1> to !tile.view<1x1024xf32, global>
    // CHECK: tile.load {{.*}}warp = [4:256@1]">>
    %x = tile.load %v : !tile.view<1x1024xf32, global> to tensor<1x1024xf32>
    // CHECK: warp.convert_layout {{.*}} to tensor<1x1024xf32, #warp.fragment<"{{.*}}warp = [4:*]">>
    // CHECK: tile.reduce
    %s = tile.reduce %x, add dim 1 : tensor<1x1024xf32> to tensor<1xf32>
    %b = tile.broadcast %s dim 1 : tensor<1xf32> to tensor<1x1024xf32>
    tile.store %b, %v : tensor<1x1024xf32> to !tile.view<1x1024xf32, global>
  }
}
