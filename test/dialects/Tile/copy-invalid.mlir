// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s --split-input-file --verify-diagnostics

tile.kernel @k(%A: !tile.global<?x?xbf16, unit = 1> dims ["M", "M"], %M: index) target "sm_90a" cluster [1, 1, 1] {
  // expected-note @+1 {{destination got its shape here}}
  %s = tile.alloc : !tile.view<128x32xbf16, shared>
  %v = tile.slice %A[%M, %M] : !tile.global<?x?xbf16, unit = 1> to !tile.view<128x64xbf16, global>
  // expected-error @+1 {{'tile.copy' op C1: source is 128x64, destination is 128x32; shapes must be equal}}
  tile.copy %v to %s : !tile.view<128x64xbf16, global> to !tile.view<128x32xbf16, shared>
}

// -----

tile.kernel @k(%A: !tile.global<?xbf16, unit = 0> dims ["M"], %M: index) target "sm_90a" cluster [1, 1, 1] {
  %s = tile.alloc : !tile.view<128xf16, shared>
  %v = tile.slice %A[%M] : !tile.global<?xbf16, unit = 0> to !tile.view<128xbf16, global>
  // expected-error @+1 {{'tile.copy' op C2: source holds 'bf16', destination 'f16'; element types must be equal}}
  tile.copy %v to %s : !tile.view<128xbf16, global> to !tile.view<128xf16, shared>
}

// -----

tile.kernel @k(%A: !tile.global<?xbf16, unit = 0> dims ["M"], %M: index) target "sm_90a" cluster [1, 1, 1] {
  %v = tile.slice %A[%M] : !tile.global<?xbf16, unit = 0> to !tile.view<128xbf16, global>
  // expected-error @+1 {{'tile.copy' op C3: source and destination are global; at most one side may be}}
  tile.copy %v to %v : !tile.view<128xbf16, global> to !tile.view<128xbf16, global>
}

// -----

tile.kernel @k(%A: !tile.global<?xbf16, unit = 0> dims ["M"], %M: index) target "sm_90a" cluster [1, 1, 1] {
  %s = tile.alloc : !tile.view<128xbf16, shared>
  %v = tile.slice %A[%M] : !tile.global<?xbf16, unit = 0> to !tile.view<128xbf16, global>
  // expected-error @+1 {{'tile.copy' op C4: destination is '!tile.view<128xbf16, shared>'; accumulate needs a global view of f32, f16, bf16 or i32}}
  tile.copy %v to %s {accumulate} : !tile.view<128xbf16, global> to !tile.view<128xbf16, shared>
}

// -----

tile.kernel @k() target "sm_90a" cluster [1, 1, 1] {
  // expected-note @+1 {{source got its shape here}}
  %s = tile.alloc : !tile.view<128xbf16, shared>
  // expected-error @+1 {{'tile.load' op L1: source is 128, result is 64; shapes must be equal}}
  %x = tile.load %s : !tile.view<128xbf16, shared> to tensor<64xbf16>
}

// -----

tile.kernel @k() target "sm_90a" cluster [1, 1, 1] {
  %s = tile.alloc : !tile.view<128xbf16, shared>
  // expected-error @+1 {{'tile.load' op L2: source holds 'bf16', result 'f32'; element types must be equal}}
  %x = tile.load %s : !tile.view<128xbf16, shared> to tensor<128xf32>
}

// -----

tile.kernel @k() target "sm_90a" cluster [1, 1, 1] {
  %s = tile.alloc : !tile.view<128xf32, shared>
  // expected-error @+1 {{'tile.load' op L3: fill is 1.000000e+00 : f32, source is '!tile.view<128xf32, shared>'; fill must have the element type, and the source must be global}}
  %x = tile.load %s {fill = 1.0 : f32} : !tile.view<128xf32, shared> to tensor<128xf32>
}

// -----

tile.kernel @k() target "sm_90a" cluster [1, 1, 1] {
  %x = arith.constant dense<0.0> : tensor<64xf32>
  // expected-note @+1 {{destination got its shape here}}
  %s = tile.alloc : !tile.view<128xf32, shared>
  // expected-error @+1 {{'tile.store' op O1: value is 64, destination is 128; shapes must be equal}}
  tile.store %x, %s : tensor<64xf32> to !tile.view<128xf32, shared>
}

// -----

tile.kernel @k() target "sm_90a" cluster [1, 1, 1] {
  %x = arith.constant dense<0.0> : tensor<128xf32>
  %s = tile.alloc : !tile.view<128xf16, shared>
  // expected-error @+1 {{'tile.store' op O2: value holds 'f32', destination 'f16'; element types must be equal}}
  tile.store %x, %s : tensor<128xf32> to !tile.view<128xf16, shared>
}

// -----

tile.kernel @k() target "sm_90a" cluster [1, 1, 1] {
  %x = arith.constant dense<0.0> : tensor<128xf32>
  %s = tile.alloc : !tile.view<128xf32, shared>
  // expected-error @+1 {{'tile.store' op O3: destination is '!tile.view<128xf32, shared>'; accumulate needs a global view of f32, f16, bf16 or i32}}
  tile.store %x, %s {accumulate} : tensor<128xf32> to !tile.view<128xf32, shared>
}
