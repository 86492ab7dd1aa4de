// RUN: tegula-opt %s --split-input-file --verify-diagnostics

func.func @l1(%a: !nv.shared) {
  // expected-error @+1 {{L1: 'vector<3xf32>' has 96 bits; one access moves 1, 2, 4, 8 or 16 bytes, so split it}}
  %v = nv.ld.shared %a : vector<3xf32>
  return
}
// -----
func.func @l2(%p: !llvm.ptr<1>) {
  // expected-error @+1 {{L2: a load can't be a release; give acquire or relaxed}}
  %v = nv.ld.global %p cache release : vector<1xi32>
  return
}
// -----
func.func @l2_wide(%p: !llvm.ptr<1>) {
  // expected-error @+1 {{L2: acquire load of 'vector<4xi32>'; give one element of 32 or 64 bits}}
  %v = nv.ld.global %p cache acquire : vector<4xi32>
  return
}
// -----
func.func @l3(%p: !llvm.ptr<1>, %v: vector<1xi32>) {
  // expected-error @+1 {{L3: `other` is 'vector<1xi32>'; it comes with a predicate}}
  %w = "nv.ld.global"(%p, %v) {operandSegmentSizes = array<i32: 1, 0, 1>} : (!llvm.ptr<1>, vector<1xi32>) -> vector<1xi32>
  return
}
// -----
func.func @l4(%p: !llvm.ptr<1>, %v: vector<1xi32>) {
  // expected-error @+1 {{L4: a store can't be nc; give weak, relaxed or release}}
  nv.st.global %p, %v cache nc : vector<1xi32>
  return
}
// -----
func.func @a1(%a: !nv.shared, %p: !llvm.ptr<1>) {
  // expected-error @+1 {{A1: 2 bytes; cp.async copies 4, 8 or 16}}
  nv.cp_async %a, %p, bytes = 2
  return
}
// -----
func.func @a2(%a: !nv.shared, %p: !llvm.ptr<1>) {
  %valid = arith.constant 9 : i32
  // expected-error @+1 {{A2: 9 of 8 bytes are valid; give 0 to 8}}
  nv.cp_async %a, %p, bytes = 8, %valid
  return
}
// -----
func.func @a3() {
  // expected-error @+1 {{A3: pending is -1; give 0 or more}}
  nv.cp_async.wait pending = -1
  return
}
// -----
func.func @m1(%a: !nv.shared) {
  // expected-error @+1 {{M1: 'vector<4xf32>'; give 2, 4 or 8 elements of 16 bits, two a matrix}}
  %v = nv.ldmatrix %a : vector<4xf32>
  return
}
// -----
func.func @s1(%x: f32) {
  // expected-error @+1 {{S1: mask 32; lanes of a warp differ in 1 to 31}}
  %y = nv.shuffle.xor %x, mask = 32 : f32
  return
}
