// RUN: tegula-opt %s --warp-assign-shared-layouts --warp-assign-fragments --convert-tile-to-warp --warp-insert-waits --warp-plan-shared-memory --convert-warp-to-nv --canonicalize --cse | FileCheck %s

// k = 64 bf16 are 128 bytes, four instructions of 32. A (K-major, rows of 128 bytes) steps by 32 bytes; B (MN-major: n is
// contiguous) by 16 rows of k, 2048 bytes, and is transposed. The sum starts from nothing: the first instruction leaves c
// out.
// CHECK-LABEL: nv.kernel @product
tile.kernel @product() target "sm_90a" cluster [1, 1, 1] {
  tile.role "math" (%instance) instances 1 warps 4 {
    %a = tile.alloc : !tile.view<64x64xbf16, shared>
    %b = tile.alloc : !tile.view<64x64xbf16, shared>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    // CHECK: nv.wgmma.fence
    // CHECK: nv.wgmma bf16 %{{.*}}, %{{.*}}, %{{.*}} scale_d %false trans_b
    // CHECK: nv.descriptor.advance %{{.*}}, bytes = 32
    // CHECK: nv.descriptor.advance %{{.*}}, bytes = 2048
    // CHECK-COUNT-3: nv.wgmma bf16
    // CHECK: nv.wgmma.commit
    // CHECK: nv.wgmma.wait pending = 0
    %d = tile.mma %a, %b, %zero : (!tile.view<64x64xbf16, shared>, !tile.view<64x64xbf16, shared>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %e = math.exp2 %d : tensor<64x64xf32>
  }
}
