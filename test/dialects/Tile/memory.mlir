// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s | FileCheck %s
// RUN: tegula-opt %s | tegula-opt | FileCheck %s
// RUN: tegula-opt %s --mlir-print-op-generic | tegula-opt | FileCheck %s

// CHECK-LABEL: tile.kernel @memory
tile.kernel @memory(%A: !tile.global<?x?xf32, unit = 1> dims ["M", "N"] align 16,
                    %L: !tile.global<?xi32, unit = 0> dims ["M"], %M: index, %N: index)
    target "sm_90a" cluster [1, 1, 1] {
  // CHECK: %[[RING:.*]] = tile.ring : !tile.ring<4 x [!tile.view<64x128xf32, shared>, !tile.view<64xf32, shared>]>
  %r = tile.ring : !tile.ring<4 x [!tile.view<64x128xf32, shared>, !tile.view<64xf32, shared>]>
  // CHECK: tile.alloc {padding = 4 : i64} : !tile.view<64x128xf32, shared>
  %s = tile.alloc {padding = 4 : i64} : !tile.view<64x128xf32, shared>
  tile.role "load" (%i) instances 1 warps 1 {
    // CHECK: %[[A:.*]], %[[B:.*]] = tile.produce %[[RING]] : !tile.ring<4 x [
    %a, %b = tile.produce %r : !tile.ring<4 x [!tile.view<64x128xf32, shared>, !tile.view<64xf32, shared>]>
    // CHECK: %[[V:.*]] = tile.slice %A[%M, %N] : !tile.global<?x?xf32, unit = 1> to !tile.view<64x128xf32, global>
    %v = tile.slice %A[%M, %N] : !tile.global<?x?xf32, unit = 1> to !tile.view<64x128xf32, global>
    // CHECK: tile.copy %[[V]] to %[[A]] cache evict_last : !tile.view<64x128xf32, global> to !tile.view<64x128xf32, shared>
    tile.copy %v to %a cache evict_last : !tile.view<64x128xf32, global> to !tile.view<64x128xf32, shared>
    // A view of lower rank than the tensor has extent 1 in the leading dims.
    // CHECK: tile.slice %A[%M, %N] : !tile.global<?x?xf32, unit = 1> to !tile.view<64xf32, global>
    %w = tile.slice %A[%M, %N] : !tile.global<?x?xf32, unit = 1> to !tile.view<64xf32, global>
    tile.copy %w to %b : !tile.view<64xf32, global> to !tile.view<64xf32, shared>
  }
  tile.role "math" (%i) instances 1 warps 4 {
    // CHECK: %[[C:.*]], %{{.*}} = tile.consume %[[RING]]
    %a, %b = tile.consume %r : !tile.ring<4 x [!tile.view<64x128xf32, shared>, !tile.view<64xf32, shared>]>
    // CHECK: tile.subview %[[C]][%M, %N] : !tile.view<64x128xf32, shared> to !tile.view<32x128xf32, shared>
    %p = tile.subview %a[%M, %N] : !tile.view<64x128xf32, shared> to !tile.view<32x128xf32, shared>
    // CHECK: tile.transpose %{{.*}} permutation = [1, 0] : !tile.view<32x128xf32, shared> to !tile.view<128x32xf32, shared>
    %t = tile.transpose %p permutation = [1, 0] : !tile.view<32x128xf32, shared> to !tile.view<128x32xf32, shared>
    // CHECK: tile.load %{{.*}} cache evict_first {fill = 0xFF800000 : f32} : !tile.view<64x128xf32, global> to tensor<64x128xf32>
    %v = tile.slice %A[%M, %N] : !tile.global<?x?xf32, unit = 1> to !tile.view<64x128xf32, global>
    %x = tile.load %v cache evict_first {fill = 0xFF800000 : f32} : !tile.view<64x128xf32, global> to tensor<64x128xf32>
    // CHECK: tile.store %{{.*}}, %{{.*}} cache evict_first {accumulate} : tensor<64x128xf32> to !tile.view<64x128xf32, global>
    tile.store %x, %v cache evict_first {accumulate} : tensor<64x128xf32> to !tile.view<64x128xf32, global>
    // CHECK: tile.read %L[%M] : !tile.global<?xi32, unit = 0> to i32
    %n = tile.read %L[%M] : !tile.global<?xi32, unit = 0> to i32
    // CHECK: %[[WINDOW:.*]] = tile.window %L[0 : %M, %M] : !tile.global<?xi32, unit = 0>
    %w = tile.window %L[0 : %M, %M] : !tile.global<?xi32, unit = 0>
    // CHECK: tile.read %[[WINDOW]][%M] : !tile.global<?xi32, unit = 0> to i32
    %o = tile.read %w[%M] : !tile.global<?xi32, unit = 0> to i32
  }
}
