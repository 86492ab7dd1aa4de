// RUN: tegula-opt %s --split-input-file --verify-diagnostics

nv.kernel @t1(%map: !nv.tensor_map, %x: i32) threads 32 {
  %s = nv.shared_base
  %one = nv.elect
  // expected-error @+1 {{T1: 6 coordinates; a tensor map has 1 to 5 dimensions}}
  nv.tma.store %map[%x, %x, %x, %x, %x, %x] from %s if %one
  nv.return
}
// -----
nv.kernel @t2(%map: !nv.tensor_map, %x: i32) threads 32 {
  %s = nv.shared_base
  %b = nv.mbarrier.at %s
  %one = nv.elect
  %nobody = arith.constant 0 : i16
  // expected-error @+1 {{T2: the multicast mask names no block}}
  nv.tma.load %map[%x] to %s, %b multicast %nobody if %one
  nv.return
}
// -----
nv.kernel @t3(%map: !nv.tensor_map, %x: i32) threads 32 {
  %s = nv.shared_base
  %b = nv.mbarrier.at %s
  %one = nv.elect
  %step = arith.constant 64 : i32
  %at = nv.offset %s, %step
  // expected-error @+1 {{T3: the box lies 64 bytes from the base; make it a multiple of 128}}
  nv.tma.load %map[%x] to %at, %b if %one
  nv.return
}
// -----
nv.kernel @t4(%map: !nv.tensor_map, %other: !nv.tensor_map, %x: i32) threads 32 {
  %zero = arith.constant 0 : i32
  %which = arith.cmpi eq, %x, %zero : i32
  %s = nv.shared_base
  %one = nv.elect
  %either = arith.select %which, %map, %other : !nv.tensor_map
  // expected-error @+1 {{T4: the tensor map is no argument of the kernel; pass it as one}}
  nv.tma.store %either[%x] from %s if %one
  nv.return
}
// -----
nv.kernel @t5(%map: !nv.tensor_map, %x: i32) threads 32 {
  %s = nv.shared_base
  %b = nv.mbarrier.at %s
  // expected-error @+1 {{T5: every thread would issue this copy}}
  nv.tma.load %map[%x] to %s, %b
  nv.return
}
// -----
nv.kernel @t5_block(%map: !nv.tensor_map, %x: i32) threads 32 {
  %s = nv.shared_base
  %block = nv.block_id
  %zero = arith.constant 0 : i32
  %first = arith.cmpi eq, %block, %zero : i32
  scf.if %first {
    // expected-error @+1 {{T5: every thread would issue this copy}}
    nv.tma.store %map[%x] from %s
  }
  nv.return
}
// -----
nv.kernel @u1(%p: !llvm.ptr<1>) threads 32 {
  %s = nv.shared_base
  %one = nv.elect
  %bytes = arith.constant 24 : i32
  // expected-error @+1 {{U1: 24 bytes; a bulk copy moves a multiple of 16, at least 16}}
  nv.bulk.store %s to %p, %bytes if %one
  nv.return
}
// -----
nv.kernel @u2() threads 32 {
  // expected-error @+1 {{U2: pending is -1; give 0 or more}}
  nv.bulk.wait pending = -1
  nv.return
}
