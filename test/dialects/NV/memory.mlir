// RUN: tegula-opt %s | tegula-opt | FileCheck %s
// Plain memory access, matrices and lanes survive printing and parsing.

// CHECK-LABEL: nv.kernel @memory
nv.kernel @memory(%p: !llvm.ptr<1>, %n: i64, %i: i32, %x: f32) threads 32 {
  %s = nv.shared_base
  // CHECK: %[[A:.*]] = nv.offset %{{.*}}, %
  %a = nv.offset %s, %i
  // CHECK: %[[NUMBER:.*]] = nv.shared.address %[[A]]
  %number = nv.shared.address %a
  // CHECK: nv.shared.at %[[NUMBER]]
  %again = nv.shared.at %number
  // CHECK: %[[Q:.*]] = nv.global.offset %{{.*}}, %
  %q = nv.global.offset %p, %n
  // CHECK: %[[ONE:.*]] = nv.elect
  %one = nv.elect
  // CHECK: %[[V:.*]] = nv.ld.shared %[[A]] : vector<4xf32>
  %v = nv.ld.shared %a : vector<4xf32>
  // CHECK: nv.st.shared %[[A]], %[[V]] if %[[ONE]] : vector<4xf32>
  nv.st.shared %a, %v if %one : vector<4xf32>
  // CHECK: nv.ld.global %[[Q]] : vector<4xf32>
  %w = nv.ld.global %q : vector<4xf32>
  // CHECK: nv.ld.global %[[Q]] if %[[ONE]] else %[[V]] cache nc : vector<4xf32>
  %y = nv.ld.global %q if %one else %v cache nc : vector<4xf32>
  // CHECK: nv.ld.global %[[Q]] cache acquire : vector<1xi32>
  %flag = nv.ld.global %q cache acquire : vector<1xi32>
  // CHECK: nv.st.global %[[Q]], %[[V]] if %[[ONE]] cache evict_first : vector<4xf32>
  nv.st.global %q, %v if %one cache evict_first : vector<4xf32>
  // CHECK: nv.cp_async %[[A]], %[[Q]], bytes = 16, %
  nv.cp_async %a, %q, bytes = 16, %i
  // CHECK: nv.cp_async %[[A]], %[[Q]], bytes = 4{{$}}
  nv.cp_async %a, %q, bytes = 4
  // CHECK: nv.cp_async.commit
  nv.cp_async.commit
  // CHECK: nv.cp_async.wait pending = 0
  nv.cp_async.wait pending = 0
  %b = nv.mbarrier.at %s
  // CHECK: nv.cp_async.arrive_noinc %
  nv.cp_async.arrive_noinc %b
  // CHECK: nv.atomic.add %[[Q]], %{{.*}} order acq_rel : i32
  %old = nv.atomic.add %q, %i order acq_rel : i32
  // CHECK: nv.atomic.add %[[Q]], %{{.*}} if %[[ONE]] : f32
  %before = nv.atomic.add %q, %x if %one : f32
  // CHECK: %[[M:.*]] = nv.ldmatrix %[[A]] trans : vector<8xbf16>
  %m = nv.ldmatrix %a trans : vector<8xbf16>
  // CHECK: nv.stmatrix %[[A]], %[[M]] : vector<8xbf16>
  nv.stmatrix %a, %m : vector<8xbf16>
  // CHECK: nv.shuffle.xor %{{.*}}, mask = 2 : f32
  %sx = nv.shuffle.xor %x, mask = 2 : f32
  // CHECK: nv.shuffle.idx %{{.*}}, %{{.*}} : i32
  %si = nv.shuffle.idx %i, %i : i32
  // CHECK: nv.approx ex2 %{{.*}} : f32
  %e = nv.approx ex2 %x : f32
  // CHECK: nv.approx rcp %[[V]] : vector<4xf32>
  %r = nv.approx rcp %v : vector<4xf32>
  nv.return
}
