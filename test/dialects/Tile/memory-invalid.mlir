// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s --split-input-file --verify-diagnostics

tile.kernel @k() target "sm_90a" cluster [1, 1, 1] {
  // expected-error @+1 {{'tile.alloc' op A1: the tile is '!tile.view<64xf32, global>'; it must be in shared memory}}
  %s = tile.alloc : !tile.view<64xf32, global>
}

// -----

tile.kernel @k() target "sm_90a" cluster [1, 1, 1] {
  // expected-error @+1 {{'tile.alloc' op A2: padding is -1; it must not be negative}}
  %s = tile.alloc {padding = -1 : i64} : !tile.view<64xf32, shared>
}

// -----

tile.kernel @k(%A: !tile.global<?xf32, unit = 0> dims ["M"], %M: index) target "sm_90a" cluster [1, 1, 1] {
  // expected-error @+1 {{'tile.slice' op S1: there are 2 offsets; the tensor has 1 dims}}
  %v = tile.slice %A[%M, %M] : !tile.global<?xf32, unit = 0> to !tile.view<64xf32, global>
}

// -----

tile.kernel @k(%A: !tile.global<?xf32, unit = 0> dims ["M"], %M: index) target "sm_90a" cluster [1, 1, 1] {
  // expected-error @+1 {{'tile.slice' op S2: the view is '!tile.view<64xf32, shared>'; it must be global and of rank at most 1}}
  %v = tile.slice %A[%M] : !tile.global<?xf32, unit = 0> to !tile.view<64xf32, shared>
}

// -----

tile.kernel @k(%A: !tile.global<?xf32, unit = 0> dims ["M"], %M: index) target "sm_90a" cluster [1, 1, 1] {
  // expected-error @+1 {{'tile.slice' op S3: the view holds 'f16', the tensor 'f32'; element types must be equal}}
  %v = tile.slice %A[%M] : !tile.global<?xf32, unit = 0> to !tile.view<64xf16, global>
}

// -----

tile.kernel @k(%M: index) target "sm_90a" cluster [1, 1, 1] {
  %s = tile.alloc : !tile.view<64x64xf32, shared>
  // expected-error @+1 {{'tile.subview' op W1: source is '!tile.view<64x64xf32, shared>', result is '!tile.view<32xf32, shared>', with 1 offsets; ranks, spaces and element types must be equal}}
  %v = tile.subview %s[%M] : !tile.view<64x64xf32, shared> to !tile.view<32xf32, shared>
}

// -----

tile.kernel @k(%M: index) target "sm_90a" cluster [1, 1, 1] {
  %s = tile.alloc : !tile.view<64x64xf32, shared>
  // expected-error @+1 {{'tile.subview' op W2: source is 64x64, result is 128x64; no extent may exceed the source's}}
  %v = tile.subview %s[%M, %M] : !tile.view<64x64xf32, shared> to !tile.view<128x64xf32, shared>
}

// -----

tile.kernel @k() target "sm_90a" cluster [1, 1, 1] {
  %s = tile.alloc : !tile.view<64x32xf32, shared>
  // expected-error @+1 {{'tile.transpose' op X1: permutation is [0, 0]; it must permute the 2 dims of the source}}
  %v = tile.transpose %s permutation = [0, 0] : !tile.view<64x32xf32, shared> to !tile.view<32x64xf32, shared>
}

// -----

tile.kernel @k() target "sm_90a" cluster [1, 1, 1] {
  %s = tile.alloc : !tile.view<64x32xf32, shared>
  // expected-error @+1 {{'tile.transpose' op X2: result is '!tile.view<64x32xf32, shared>'; it must be the source's kind of tile, 32x64 of 'f32'}}
  %v = tile.transpose %s permutation = [1, 0] : !tile.view<64x32xf32, shared> to !tile.view<64x32xf32, shared>
}

// -----

tile.kernel @k(%L: !tile.global<?x?xi32, unit = 0> dims ["M", "M"], %M: index) target "sm_90a" cluster [1, 1, 1] {
  // expected-error @+1 {{'tile.read' op D1: there are 1 indices; the tensor has 2 dims}}
  %n = tile.read %L[%M] : !tile.global<?x?xi32, unit = 0> to i32
}

// -----

tile.kernel @k(%L: !tile.global<?xi32, unit = 0> dims ["M"], %M: index) target "sm_90a" cluster [1, 1, 1] {
  // expected-error @+1 {{'tile.read' op D2: result is 'i64'; the tensor holds 'i32'}}
  %n = tile.read %L[%M] : !tile.global<?xi32, unit = 0> to i64
}

// -----

tile.kernel @k(%A: !tile.global<?x?xbf16, unit = 1> dims ["M", "M"], %M: index) target "sm_90a" cluster [1, 1, 1] {
  // expected-error @+1 {{'tile.window' op N1: dim is 2; the tensor has dims 0 to 1}}
  %w = tile.window %A[2 : %M, %M] : !tile.global<?x?xbf16, unit = 1>
}

// -----

tile.kernel @k(%A: !tile.global<?x?xbf16, unit = 1> dims ["M", "M"], %M: index) target "sm_90a" cluster [1, 1, 1] {
  %w = tile.window %A[0 : %M, %M] : !tile.global<?x?xbf16, unit = 1>
  // expected-error @+1 {{'tile.window' op N2: the tensor is a window itself; take one window of the kernel's argument}}
  %v = tile.window %w[0 : %M, %M] : !tile.global<?x?xbf16, unit = 1>
}
