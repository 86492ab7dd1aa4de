// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s | FileCheck %s
// RUN: tegula-opt %s | tegula-opt | FileCheck %s
// RUN: tegula-opt %s --mlir-print-op-generic | tegula-opt | FileCheck %s

// CHECK-LABEL: tile.kernel @compute
tile.kernel @compute(%alpha: f32) target "sm_90a" cluster [1, 1, 1] {
  %a = tile.alloc : !tile.view<64x64xbf16, shared>
  %b = tile.alloc : !tile.view<64x256xbf16, shared>
  tile.role "math" (%i) instances 1 warps 4 {
    %z = arith.constant dense<0.0> : tensor<64x256xf32>
    // CHECK: %[[D:.*]] = tile.mma %{{.*}}, %{{.*}}, %{{.*}} : (!tile.view<64x64xbf16, shared>, !tile.view<64x256xbf16, shared>, tensor<64x256xf32>) -> tensor<64x256xf32>
    %d = tile.mma %a, %b, %z : (!tile.view<64x64xbf16, shared>, !tile.view<64x256xbf16, shared>, tensor<64x256xf32>) -> tensor<64x256xf32>
    // From registers: attention's second product.
    %p = arith.constant dense<0.0> : tensor<64x64xbf16>
    // CHECK: tile.mma %{{.*}}, %{{.*}}, %[[D]] : (tensor<64x64xbf16>, !tile.view<64x256xbf16, shared>, tensor<64x256xf32>)
    %e = tile.mma %p, %b, %d : (tensor<64x64xbf16>, !tile.view<64x256xbf16, shared>, tensor<64x256xf32>) -> tensor<64x256xf32>
    // CHECK: tile.reduce %{{.*}}, max dim 1 : tensor<64x256xf32> to tensor<64xf32>
    %r = tile.reduce %e, max dim 1 : tensor<64x256xf32> to tensor<64xf32>
    // CHECK: tile.broadcast %{{.*}} dim 1 : tensor<64xf32> to tensor<64x256xf32>
    %s = tile.broadcast %r dim 1 : tensor<64xf32> to tensor<64x256xf32>
    // CHECK: tile.splat %alpha : f32 to tensor<64x256xf32>
    %t = tile.splat %alpha : f32 to tensor<64x256xf32>
    // CHECK: tile.iota dim 0 : tensor<64x256xi32>
    %u = tile.iota dim 0 : tensor<64x256xi32>
    // CHECK: tile.transpose %{{.*}} permutation = [1, 0] : tensor<64x256xf32> to tensor<256x64xf32>
    %v = tile.transpose %e permutation = [1, 0] : tensor<64x256xf32> to tensor<256x64xf32>
  }
}
