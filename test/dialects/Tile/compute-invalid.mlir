// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s --split-input-file --verify-diagnostics

// message-06: k of a and b differ.
tile.kernel @k() target "sm_90a" cluster [1, 1, 1] {
  // expected-note @+1 {{a got its shape here}}
  %a = tile.alloc : !tile.view<64x64xbf16, shared>
  // expected-note @+1 {{b got its shape here}}
  %b = tile.alloc : !tile.view<32x256xbf16, shared>
  %z = arith.constant dense<0.0> : tensor<64x256xf32>
  // expected-error @+1 {{'tile.mma' op M1: a is 64x64, b is 32x256, c is 64x256; they must be m x k, k x n and m x n}}
  %d = tile.mma %a, %b, %z : (!tile.view<64x64xbf16, shared>, !tile.view<32x256xbf16, shared>, tensor<64x256xf32>) -> tensor<64x256xf32>
}

// -----

tile.kernel @k(%A: !tile.global<?x?xbf16, unit = 1> dims ["M", "M"], %M: index) target "sm_90a" cluster [1, 1, 1] {
  %a = tile.slice %A[%M, %M] : !tile.global<?x?xbf16, unit = 1> to !tile.view<64x64xbf16, global>
  %b = tile.alloc : !tile.view<64x256xbf16, shared>
  %z = arith.constant dense<0.0> : tensor<64x256xf32>
  // expected-error @+1 {{'tile.mma' op M2: a is '!tile.view<64x64xbf16, global>', b is '!tile.view<64x256xbf16, shared>'; views must be in shared memory}}
  %d = tile.mma %a, %b, %z : (!tile.view<64x64xbf16, global>, !tile.view<64x256xbf16, shared>, tensor<64x256xf32>) -> tensor<64x256xf32>
}

// -----

tile.kernel @k() target "sm_90a" cluster [1, 1, 1] {
  %a = tile.alloc : !tile.view<64x64xbf16, shared>
  %b = tile.alloc : !tile.view<64x256xf16, shared>
  %z = arith.constant dense<0.0> : tensor<64x256xf32>
  // expected-error @+1 {{'tile.mma' op M3: no tensor core multiplies 'bf16' by 'f16' into 'f32'}}
  %d = tile.mma %a, %b, %z : (!tile.view<64x64xbf16, shared>, !tile.view<64x256xf16, shared>, tensor<64x256xf32>) -> tensor<64x256xf32>
}

// -----

tile.kernel @k() target "sm_90a" cluster [1, 1, 1] {
  %x = arith.constant dense<0.0> : tensor<64x256xf32>
  // expected-error @+1 {{'tile.reduce' op E1: dim is 2; source has rank 2}}
  %r = tile.reduce %x, add dim 2 : tensor<64x256xf32> to tensor<64xf32>
}

// -----

tile.kernel @k() target "sm_90a" cluster [1, 1, 1] {
  %x = arith.constant dense<0.0> : tensor<64x256xf32>
  // expected-error @+1 {{'tile.reduce' op E2: result is 256 of 'f32'; it must be 64 of 'f32'}}
  %r = tile.reduce %x, add dim 1 : tensor<64x256xf32> to tensor<256xf32>
}

// -----

tile.kernel @k() target "sm_90a" cluster [1, 1, 1] {
  %x = arith.constant dense<0.0> : tensor<64xf32>
  // expected-error @+1 {{'tile.broadcast' op B1: dim is -1; result has rank 2}}
  %r = tile.broadcast %x dim -1 : tensor<64xf32> to tensor<64x256xf32>
}

// -----

tile.kernel @k() target "sm_90a" cluster [1, 1, 1] {
  %x = arith.constant dense<0.0> : tensor<64xf32>
  // expected-error @+1 {{'tile.broadcast' op B2: source is 64 of 'f32'; it must be 256 of 'f32'}}
  %r = tile.broadcast %x dim 0 : tensor<64xf32> to tensor<64x256xf32>
}

// -----

tile.kernel @k(%x: f32) target "sm_90a" cluster [1, 1, 1] {
  // expected-error @+1 {{'tile.splat' op P1: scalar is 'f32', the tile holds 'f16'; they must be equal}}
  %r = tile.splat %x : f32 to tensor<64xf16>
}

// -----

tile.kernel @k() target "sm_90a" cluster [1, 1, 1] {
  // expected-error @+1 {{'tile.iota' op I1: dim is 1; the tile has rank 1}}
  %r = tile.iota dim 1 : tensor<64xi32>
}

// -----

tile.kernel @k() target "sm_90a" cluster [1, 1, 1] {
  // expected-error @+1 {{'tile.iota' op I2: elements are 'f32'; they must be i32 or i64}}
  %r = tile.iota dim 0 : tensor<64xf32>
}
