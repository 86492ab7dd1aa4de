// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{G1: rank is 6; it must be 1 to 5}}
func.func private @f(!tile.global<?x?x?x?x?x?xf32, unit = 0>)

// -----

// expected-error @+1 {{G2: unit dim is 2; it must be -1 or below the rank, 2}}
func.func private @f(!tile.global<?x?xf32, unit = 2>)

// -----

// expected-error @+1 {{G3: element type 'f4E2M1FN' has 4 bits; it must have 8, 16, 32 or 64}}
func.func private @f(!tile.global<?xf4E2M1FN, unit = 0>)

// -----

// expected-error @+1 {{V1: extents of a view must be static and positive}}
func.func private @f(!tile.view<?x64xf32, shared>)

// -----

// expected-error @+1 {{V2: element type is 'index'; it must be an integer or a float}}
func.func private @f(!tile.view<64xindex, shared>)

// -----

// expected-error @+1 {{R1: ring has 33 stages; it must have 1 to 32}}
func.func private @f(!tile.ring<33 x [!tile.view<64xf32, shared>]>)

// -----

// expected-error @+1 {{R2: slot is '!tile.view<64xf32, global>'; it must be a view in shared memory}}
func.func private @f(!tile.ring<2 x [!tile.view<64xf32, global>]>)

// -----

// expected-error @+1 {{T1: rank of an index space is 4; it must be 1 to 3}}
func.func private @f(!tile.tiles<4>)
