// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s | FileCheck %s
// RUN: tegula-opt %s | tegula-opt | FileCheck %s
// RUN: tegula-opt %s --mlir-print-op-generic | tegula-opt | FileCheck %s

// Names of arguments are part of the text; promises are written where they say something.
// CHECK: tile.kernel @gemm(%A: !tile.global<?x?xbf16, unit = 1> dims ["M", "K"] align 16,
// CHECK-SAME: %W: !tile.global<?x64xi8, unit = 0> as "u8" dims ["M", 64],
// CHECK-SAME: %M: index multiple 8, %K: index, %alpha: f32)
// CHECK-SAME: target "sm_90a" cluster [2, 1, 1] schedule {stages = 4 : i64} {
tile.kernel @gemm(%A: !tile.global<?x?xbf16, unit = 1> dims ["M", "K"] align 16,
                  %W: !tile.global<?x64xi8, unit = 0> as "u8" dims ["M", 64],
                  %M: index multiple 8, %K: index, %alpha: f32)
    target "sm_90a" cluster [2, 1, 1] schedule {stages = 4 : i64} {
  // CHECK: %[[TILES:.*]] = tile.tiles (%M, %K) raster 8 {persistent} : !tile.tiles<2>
  %t = tile.tiles (%M, %K) raster 8 {persistent} : !tile.tiles<2>
  // CHECK: tile.role "load" (%{{.*}}) instances 1 warps 1 {
  tile.role "load" (%i) instances 1 warps 1 {
    // CHECK: tile.for_tiles %[[TILES]] (%i, %j) {
    tile.for_tiles %t (%i0, %j) {
    }
    // CHECK: tile.griddep.launch
    tile.griddep.launch
  }
  // CHECK: tile.role "math" (%[[WG:.*]]) instances 2 warps 4 registers 232 {
  tile.role "math" (%wg) instances 2 warps 4 registers 232 {
    // CHECK: tile.griddep.wait
    tile.griddep.wait
    // CHECK: tile.for_tiles %[[TILES]] (%i, %j) alternate {
    tile.for_tiles %t (%i, %j) alternate {
      // CHECK: tile.turn %[[WG]] {
      tile.turn %wg {
      }
      // CHECK: tile.turn %[[WG]] -> (f32, tensor<64xf32>) {
      // CHECK: tile.yield %{{.*}}, %{{.*}} : f32, tensor<64xf32>
      %r:2 = tile.turn %wg -> (f32, tensor<64xf32>) {
        %c = arith.constant dense<0.0> : tensor<64xf32>
        tile.yield %alpha, %c : f32, tensor<64xf32>
      }
    }
  }
}

// verifier-01: two kernels in one module, each without a body.
// CHECK: tile.kernel @empty() target "sm_100a" cluster [1, 1, 1] {
tile.kernel @empty() target "sm_100a" cluster [1, 1, 1] {
}
