// RUN: tegula-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{K1: 100 threads; a block has 32 to 1024, a multiple of 32}}
nv.kernel @k1() threads 100 { nv.return }
// -----
// expected-error @+1 {{K2: cluster [4, 4, 2]; give three extents of at least 1, at most 16 blocks in all}}
nv.kernel @k2() threads 32 cluster [4, 4, 2] { nv.return }
// -----
// expected-error @+1 {{K3: argument 1 has type 'index'}}
nv.kernel @k3(%a: i32, %b: index) threads 32 { nv.return }
// -----
// expected-error @+1 {{K4: min_blocks 3 with 1024 threads; an SM holds 1 to 32 blocks and 2048 threads}}
nv.kernel @k4() threads 1024 min_blocks 3 { nv.return }
// -----
// expected-error @+1 {{K6: max_registers 8; a thread has 16 to 255}}
nv.kernel @k6() threads 32 max_registers 8 { nv.return }
// -----
nv.kernel @r1() threads 128 {
  // expected-error @+1 {{R1: 20 registers; give 24 to 256 in steps of 8}}
  nv.setmaxnreg dec 20
  nv.return
}
// -----
nv.kernel @r1_step() threads 128 {
  // expected-error @+1 {{R1: 236 registers; give 24 to 256 in steps of 8}}
  nv.setmaxnreg inc 236
  nv.return
}
// -----
nv.kernel @r2() threads 160 {
  // expected-error @+1 {{R2: the kernel has 160 threads; whole warpgroups change their registers}}
  nv.setmaxnreg dec 40
  nv.return
}
// -----
nv.kernel @p1(%x: i32) threads 32 {
  // expected-error @+1 {{P1: 1 constraints for 2 results and operands}}
  %0 = nv.ptx "mov.u32 $0, $1;", "=r,~{memory}" (%x) : (i32) -> i32
  nv.return
}
// -----
nv.kernel @p2(%x: i8) threads 32 {
  // expected-error @+1 {{P2: 'i8' fits no PTX register}}
  nv.ptx "mov.u32 _, $0;", "r" (%x) : (i8) -> ()
  nv.return
}
