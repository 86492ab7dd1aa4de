// RUN: tegula-opt %s --split-input-file --verify-diagnostics

nv.kernel @b1() threads 32 {
  %base = nv.shared_base
  %four = arith.constant 4 : i32
  %a = nv.offset %base, %four
  // expected-error @+1 {{B1: the barrier lies 4 bytes from the base; make it a multiple of 8}}
  %b = nv.mbarrier.at %a
  nv.return
}
// -----
nv.kernel @b2() threads 32 {
  %base = nv.shared_base
  %b = nv.mbarrier.at %base
  // expected-error @+1 {{B2: 0 arrivals a phase; give 1 to 1048575}}
  nv.mbarrier.init %b, count = 0
  nv.return
}
// -----
nv.kernel @b3() threads 32 {
  %base = nv.shared_base
  %b = nv.mbarrier.at %base
  %bytes = arith.constant 1048576 : i32
  // expected-error @+1 {{B3: 1048576 bytes a phase; a barrier counts 0 to 1048575, so split the stage}}
  nv.mbarrier.arrive_expect %b, %bytes
  nv.return
}
// -----
nv.kernel @b4() threads 32 {
  %base = nv.shared_base
  %b = nv.mbarrier.at %base
  %two = arith.constant 2 : i32
  // expected-error @+1 {{B4: parity 2; a phase is 0 or 1}}
  nv.mbarrier.wait %b, %two
  nv.return
}
// -----
nv.kernel @n1() threads 32 {
  %id = arith.constant 16 : i32
  %threads = arith.constant 32 : i32
  // expected-error @+1 {{N1: barrier 16; a block has 0 to 15}}
  nv.barrier.sync %id, %threads
  nv.return
}
// -----
nv.kernel @n2() threads 64 {
  %id = arith.constant 1 : i32
  %threads = arith.constant 48 : i32
  // expected-error @+1 {{N2: 48 threads; give 32 to 1024, a multiple of 32}}
  nv.barrier.arrive %id, %threads
  nv.return
}
