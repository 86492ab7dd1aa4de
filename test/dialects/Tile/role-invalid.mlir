// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s --split-input-file --verify-diagnostics

tile.kernel @k() target "sm_90a" cluster [1, 1, 1] {
  // expected-error @+1 {{'tile.role' op R1: there are 1 instances of 0 warps; there must be at least one of each}}
  tile.role "a" (%i) instances 1 warps 0 {
  }
}

// -----

tile.kernel @k() target "sm_90a" cluster [1, 1, 1] {
  // expected-error @+1 {{'tile.role' op R2: registers is 100; it must be a multiple of 8 in 24..256}}
  tile.role "a" (%i) instances 1 warps 4 registers 100 {
  }
}

// -----

tile.kernel @k() target "sm_90a" cluster [1, 1, 1] {
  // expected-error @+1 {{'tile.role' op R2: registers is given to 1 warps; the warps of a role with a budget must be whole warpgroups, 4 each}}
  tile.role "a" (%i) instances 1 warps 1 registers 40 {
  }
}

// -----

tile.kernel @k() target "sm_90a" cluster [1, 1, 1] {
  // expected-error @+1 {{'tile.role' op R3: the region must have one argument of type index}}
  tile.role "a" (%i, %j) instances 1 warps 4 {
  }
}
