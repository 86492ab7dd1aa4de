// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{'tile.kernel' op K1: argument name "A-b" is no identifier or is used twice}}
"tile.kernel"() <{sym_name = "k", target = "sm_90a", cluster = array<i64: 1, 1, 1>, arg_names = ["A-b"], global_dims = [], min_align = [1]}> ({
^bb0(%m: index):
  tile.return
}) : () -> ()

// -----

// expected-error @+1 {{'tile.kernel' op K1: there are 1 arguments, 0 names and 1 alignments; each argument must have one of each}}
"tile.kernel"() <{sym_name = "k", target = "sm_90a", cluster = array<i64: 1, 1, 1>, arg_names = [], global_dims = [], min_align = [1]}> ({
^bb0(%m: index):
  tile.return
}) : () -> ()

// -----

// expected-error @+1 {{'tile.kernel' op K2: argument 'M' is 'index'; arguments must be globals, then index, then scalars}}
tile.kernel @k(%alpha: f32, %M: index) target "sm_90a" cluster [1, 1, 1] {
}

// -----

// expected-error @+1 {{'tile.kernel' op K3: an extent of 'A' is "N"; it must name an index argument, and the type must leave it open}}
tile.kernel @k(%A: !tile.global<?xf32, unit = 0> dims ["N"], %M: index) target "sm_90a" cluster [1, 1, 1] {
}

// -----

// expected-error @+1 {{'tile.kernel' op K3: an extent of 'A' is 32 : i64; it must be a name or a positive constant that agrees with the type}}
tile.kernel @k(%A: !tile.global<64xf32, unit = 0> dims [32]) target "sm_90a" cluster [1, 1, 1] {
}

// -----

// expected-error @+1 {{'tile.kernel' op K3: 'A' has rank 2 and 1 extents}}
tile.kernel @k(%A: !tile.global<?x?xf32, unit = 0> dims ["M"], %M: index) target "sm_90a" cluster [1, 1, 1] {
}

// -----

// expected-error @+1 {{'tile.kernel' op K4: alignment of 'A' is 2; it must be a power of two from the element's 4 bytes to 256}}
tile.kernel @k(%A: !tile.global<?xf32, unit = 0> dims ["M"] align 2, %M: index) target "sm_90a" cluster [1, 1, 1] {
}

// -----

// expected-error @+1 {{'tile.kernel' op K4: argument 'M' is no global and promises 0}}
tile.kernel @k(%M: index multiple 0) target "sm_90a" cluster [1, 1, 1] {
}

// -----

// expected-error @+1 {{'tile.kernel' op K5: cluster is [32, 1, 1]; it must have three positive extents of product at most 16}}
tile.kernel @k() target "sm_90a" cluster [32, 1, 1] {
}

// -----

tile.kernel @k() target "sm_90a" cluster [1, 1, 1] {
  // expected-note @+1 {{it is here}}
  tile.role "a" (%i) instances 1 warps 1 {
  }
  // expected-error @+1 {{'tile.role' op K6: a role named "a" exists}}
  tile.role "a" (%i) instances 1 warps 1 {
  }
}

// -----

// expected-error @+1 {{'tile.kernel' op K6: the roles have 36 warps; a block has at most 32 (1024 threads)}}
tile.kernel @k() target "sm_90a" cluster [1, 1, 1] {
  tile.role "a" (%i) instances 8 warps 4 {
  }
  tile.role "b" (%i) instances 1 warps 4 {
  }
}

// -----

tile.kernel @k(%A: !tile.global<?xf32, unit = 0> dims ["M"], %M: index) target "sm_90a" cluster [1, 1, 1] {
  %v = tile.slice %A[%M] : !tile.global<?xf32, unit = 0> to !tile.view<64xf32, global>
  // expected-error @+1 {{'tile.load' op K7: stands outside the roles; a kernel with roles does its work in them}}
  %x = tile.load %v : !tile.view<64xf32, global> to tensor<64xf32>
  tile.role "a" (%i) instances 1 warps 1 {
  }
}

// -----

tile.kernel @k() target "sm_90a" cluster [1, 1, 1] {
  // expected-error @+1 {{'tile.ring' op K8: the ring is produced but never consumed; the kernel would hang}}
  %r = tile.ring : !tile.ring<2 x [!tile.view<64xf32, shared>]>
  tile.role "a" (%i) instances 1 warps 1 {
    %s = tile.produce %r : !tile.ring<2 x [!tile.view<64xf32, shared>]>
  }
}

// -----

tile.kernel @k() target "sm_90a" cluster [1, 1, 1] {
  %r = tile.ring : !tile.ring<2 x [!tile.view<64xf32, shared>]>
  tile.role "a" (%i) instances 1 warps 1 {
    // expected-error @+1 {{'tile.produce' op K8: the ring is produced in two roles; give each role a ring of its own}}
    %s = tile.produce %r : !tile.ring<2 x [!tile.view<64xf32, shared>]>
  }
  tile.role "b" (%i) instances 1 warps 1 {
    // expected-note @+1 {{the other produce is here}}
    %s = tile.produce %r : !tile.ring<2 x [!tile.view<64xf32, shared>]>
    %t = tile.consume %r : !tile.ring<2 x [!tile.view<64xf32, shared>]>
  }
}

// -----

// hang-04: the producer skips under a condition what the consumer waits for.
tile.kernel @k(%go: i1) target "sm_90a" cluster [1, 1, 1] {
  // expected-note @+1 {{the ring is here}}
  %r = tile.ring : !tile.ring<2 x [!tile.view<64xf32, shared>]>
  tile.role "a" (%i) instances 1 warps 1 {
    scf.if %go {
      // expected-error @+1 {{'tile.produce' op K9: stands under a condition, its counterpart does not; one would wait for what the other skips}}
      %s = tile.produce %r : !tile.ring<2 x [!tile.view<64xf32, shared>]>
    }
  }
  tile.role "b" (%i) instances 1 warps 1 {
    // expected-note @+1 {{the counterpart is here; put it under the same condition}}
    %t = tile.consume %r : !tile.ring<2 x [!tile.view<64xf32, shared>]>
  }
}
