// RUN: tegula-opt %s | tegula-opt | FileCheck %s
// The kernel, special registers and what steers a warp survive printing and parsing.

// CHECK: nv.kernel @all(%[[MAP:.*]]: !nv.tensor_map, %[[P:.*]]: !llvm.ptr<1>, %[[N:.*]]: i64, %[[X:.*]]: f32) threads 384 cluster [2, 1, 1] min_blocks 1 {
nv.kernel @all(%map: !nv.tensor_map, %p: !llvm.ptr<1>, %n: i64, %x: f32) threads 384 cluster [2, 1, 1] min_blocks 1 {
  // CHECK: nv.thread_id
  %0 = nv.thread_id
  // CHECK: nv.lane_id
  %1 = nv.lane_id
  // CHECK: nv.warp_id
  %2 = nv.warp_id
  // CHECK: nv.block_id
  %3 = nv.block_id
  // CHECK: nv.grid_size
  %4 = nv.grid_size
  // CHECK: nv.cluster_rank
  %5 = nv.cluster_rank
  // CHECK: nv.cluster_id
  %6 = nv.cluster_id
  // CHECK: nv.cluster_count
  %7 = nv.cluster_count
  // CHECK: nv.elect
  %8 = nv.elect
  // CHECK: nv.setmaxnreg dec 40
  nv.setmaxnreg dec 40
  // CHECK: nv.setmaxnreg inc 232
  nv.setmaxnreg inc 232
  // CHECK: nv.griddep.wait
  nv.griddep.wait
  // CHECK: nv.griddep.launch
  nv.griddep.launch
  // CHECK: %[[SM:.*]] = nv.ptx "mov.u32 $0, %smid;", "=r"() : () -> i32
  %sm = nv.ptx "mov.u32 $0, %smid;", "=r" () : () -> i32
  // CHECK: nv.ptx "prefetch.global.L2 [$0];", "l"(%[[P]]) : (!llvm.ptr<1>) -> ()
  nv.ptx "prefetch.global.L2 [$0];", "l" (%p) : (!llvm.ptr<1>) -> ()
  // CHECK: nv.trap
  nv.trap
  nv.return
}

// CHECK: nv.kernel @plain() threads 32 cluster [1, 1, 1] min_blocks 1 max_registers 64 {
nv.kernel @plain() threads 32 max_registers 64 {
  nv.return
}
