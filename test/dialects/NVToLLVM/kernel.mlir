// RUN: tegula-opt %s --convert-nv-to-llvm --split-input-file | FileCheck %s

// Tensor maps are grid constants of 128 bytes aligned to 64: without that LLVM copies them to the stack.
// CHECK: llvm.func @bounds(%{{.*}}: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}, %{{.*}}: !llvm.ptr<1>, %{{.*}}: i64)
// CHECK-SAME: nvvm.cluster_dim = array<i32: 2, 1, 1>
// CHECK-SAME: nvvm.kernel
// CHECK-SAME: nvvm.minctasm = 1 : i32
// CHECK-SAME: nvvm.reqntid = array<i32: 384>
nv.kernel @bounds(%map: !nv.tensor_map, %p: !llvm.ptr<1>, %n: i64) threads 384 cluster [2, 1, 1] {
  nv.return
}

// A cluster of one block is no cluster.
// CHECK-LABEL: llvm.func @plain
// CHECK-NOT: cluster_dim
// CHECK-SAME: nvvm.maxnreg = 64 : i32
// CHECK-SAME: nvvm.minctasm = 2 : i32
nv.kernel @plain() threads 128 min_blocks 2 max_registers 64 {
  nv.return
}

// The warp's index passes through a shuffle from lane 0, so that ptxas knows that it is uniform.
// CHECK-LABEL: llvm.func @registers
nv.kernel @registers(%p: !llvm.ptr<1>) threads 128 {
  // CHECK: %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x
  // CHECK: %[[WARP:.*]] = llvm.lshr %[[TID]], %{{.*}}
  // CHECK: nvvm.shfl.sync idx %{{.*}}, %[[WARP]], %{{.*}}, %{{.*}} : i32 -> i32
  %warp = nv.warp_id
  // CHECK: nvvm.read.ptx.sreg.cluster.ctarank
  %rank = nv.cluster_rank
  // CHECK: nvvm.read.ptx.sreg.nclusterid.x
  %count = nv.cluster_count
  // CHECK: nvvm.elect.sync
  %one = nv.elect
  // CHECK: nvvm.setmaxregister decrease 40
  nv.setmaxnreg dec 40
  // CHECK: nvvm.setmaxregister increase 232
  nv.setmaxnreg inc 232
  // CHECK: nvvm.griddepcontrol wait
  nv.griddep.wait
  // CHECK: nvvm.griddepcontrol launch_dependents
  nv.griddep.launch
  // CHECK: llvm.inline_asm has_side_effects "mov.u32 $0, %smid;", "=r,~{memory}" : () -> i32
  %sm = nv.ptx "mov.u32 $0, %smid;", "=r" () : () -> i32
  %all = arith.addi %warp, %rank : i32
  %all2 = arith.addi %all, %count : i32
  %v = vector.broadcast %all2 : i32 to vector<1xi32>
  nv.st.global %p, %v if %one : vector<1xi32>
  nv.return
}

// -----

// Dynamic shared memory is one external symbol, aligned for every swizzle.
// CHECK: llvm.mlir.global external @tegula_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// CHECK-LABEL: llvm.func @shared
nv.kernel @shared(%i: i32) threads 32 {
  // CHECK: %[[POINTER:.*]] = llvm.mlir.addressof @tegula_shared : !llvm.ptr<3>
  // CHECK: %[[BASE:.*]] = llvm.ptrtoint %[[POINTER]] : !llvm.ptr<3> to i32
  %base = nv.shared_base
  // CHECK: llvm.add %[[BASE]], %{{.*}} : i32
  %a = nv.offset %base, %i
  %v = nv.ld.shared %a : vector<1xi32>
  nv.return
}
