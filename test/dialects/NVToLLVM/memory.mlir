// RUN: tegula-opt %s --convert-nv-to-llvm --split-input-file | FileCheck %s

// Eight bf16 are four registers of 32 bits.
// CHECK-LABEL: llvm.func @shared
func.func @shared(%a: !nv.shared, %ok: i1) {
  // CHECK: "ld.shared.v4.b32 {$0, $1, $2, $3}, [$4];", "=r,=r,=r,=r,r,~{memory}"
  %v = nv.ld.shared %a : vector<8xbf16>
  // CHECK: "@$0 st.shared.v4.b32 [$1], {$2, $3, $4, $5};", "b,r,r,r,r,r,~{memory}"
  nv.st.shared %a, %v if %ok : vector<8xbf16>
  // CHECK: "ld.shared.v2.b64 {$0, $1}, [$2];", "=l,=l,r,~{memory}"
  %w = nv.ld.shared %a : vector<2xi64>
  // A byte travels in a register of 16 bits.
  // CHECK: "ld.shared.b8 $0, [$1];", "=h,r,~{memory}"
  // CHECK: llvm.trunc %{{.*}} : i16 to i8
  %b = nv.ld.shared %a : vector<1xi8>
  // CHECK: llvm.zext %{{.*}} : i8 to i16
  // CHECK: "st.shared.b8 [$0], $1;", "r,h,~{memory}"
  nv.st.shared %a, %b : vector<1xi8>
  return
}

// -----

// A plain access is LLVM's, with the alignment of its width; a predicate, a cache hint or an order makes it PTX.
// CHECK-LABEL: llvm.func @global
func.func @global(%p: !llvm.ptr<1>, %ok: i1, %fill: vector<2xf32>) {
  // CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
  %v = nv.ld.global %p : vector<8xbf16>
  // CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
  nv.st.global %p, %v : vector<8xbf16>
  // CHECK: "@$2 ld.global.nc.v2.b32 {$0, $1}, [$3];", "=f,=f,b,l,0,1,~{memory}"
  %w = nv.ld.global %p if %ok else %fill cache nc : vector<2xf32>
  // CHECK: "ld.acquire.gpu.global.b32 $0, [$1];"
  %x = nv.ld.global %p cache acquire : vector<1xi32>
  // CHECK: "@$0 st.global.L1::evict_first.v2.b32 [$1], {$2, $3};"
  nv.st.global %p, %w if %ok cache evict_first : vector<2xf32>
  // CHECK: "st.release.gpu.global.b32 [$0], $1;"
  nv.st.global %p, %x cache release : vector<1xi32>
  return
}

// -----

// CHECK-LABEL: llvm.func @others
func.func @others(%a: !nv.shared, %b: !nv.mbarrier, %p: !llvm.ptr<1>, %n: i32, %x: f32, %ok: i1) {
  // CHECK: "cp.async.cg.shared.global [$0], [$1], 16, $2;"
  nv.cp_async %a, %p, bytes = 16, %n
  // CHECK: "cp.async.ca.shared.global [$0], [$1], 4;"
  nv.cp_async %a, %p, bytes = 4
  // CHECK: nvvm.cp.async.commit.group
  nv.cp_async.commit
  // CHECK: nvvm.cp.async.wait.group 2
  nv.cp_async.wait pending = 2
  // CHECK: "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [$0];"
  nv.cp_async.arrive_noinc %b
  // CHECK: "atom.acq_rel.gpu.global.add.u32 $0, [$1], $2;", "=r,l,r,0,~{memory}"
  %old = nv.atomic.add %p, %n order acq_rel : i32
  // CHECK: "@$1 atom.relaxed.gpu.global.add.f32 $0, [$2], $3;", "=f,b,l,f,0,~{memory}"
  %before = nv.atomic.add %p, %x if %ok : f32
  // CHECK: "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {$0, $1, $2, $3}, [$4];", "=r,=r,=r,=r,r,~{memory}"
  %m = nv.ldmatrix %a trans : vector<8xbf16>
  // CHECK: "stmatrix.sync.aligned.m8n8.x4.shared.b16 [$0], {$1, $2, $3, $4};", "r,r,r,r,r,~{memory}"
  nv.stmatrix %a, %m : vector<8xbf16>
  // CHECK: "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [$0], {$1};"
  %two = arith.constant dense<1.0> : vector<2xf16>
  nv.stmatrix %a, %two trans : vector<2xf16>
  return
}
