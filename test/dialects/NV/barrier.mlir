// RUN: tegula-opt %s | tegula-opt | FileCheck %s
// Barriers survive printing and parsing.

// CHECK-LABEL: nv.kernel @barriers
nv.kernel @barriers(%bytes: i32, %parity: i32, %rank: i32) threads 384 {
  %base = nv.shared_base
  // CHECK: %[[B:.*]] = nv.mbarrier.at %{{.*}}
  %b = nv.mbarrier.at %base
  %one = nv.elect
  // CHECK: nv.mbarrier.init %[[B]], count = 2
  nv.mbarrier.init %b, count = 2
  // CHECK: nv.mbarrier.init %[[B]], count = 1 if %
  nv.mbarrier.init %b, count = 1 if %one
  // CHECK: nv.mbarrier.arrive %[[B]] if %
  nv.mbarrier.arrive %b if %one
  // CHECK: nv.mbarrier.arrive_remote %[[B]], %{{.*}} if %
  nv.mbarrier.arrive_remote %b, %rank if %one
  // CHECK: nv.mbarrier.arrive_expect %[[B]], %
  nv.mbarrier.arrive_expect %b, %bytes
  // CHECK: nv.mbarrier.expect %[[B]], %{{.*}} if %
  nv.mbarrier.expect %b, %bytes if %one
  // CHECK: nv.mbarrier.wait %[[B]], %
  nv.mbarrier.wait %b, %parity
  // CHECK: nv.mbarrier.try_wait %[[B]], %
  %done = nv.mbarrier.try_wait %b, %parity
  // CHECK: nv.mbarrier.invalidate %[[B]]
  nv.mbarrier.invalidate %b
  %id = arith.constant 1 : i32
  %threads = arith.constant 256 : i32
  // CHECK: nv.barrier.sync %
  nv.barrier.sync %id, %threads
  // CHECK: nv.barrier.arrive %
  nv.barrier.arrive %id, %threads
  // CHECK: nv.block_sync
  nv.block_sync
  // CHECK: nv.cluster.arrive relaxed
  nv.cluster.arrive relaxed
  // CHECK: nv.cluster.arrive{{$}}
  nv.cluster.arrive
  // CHECK: nv.cluster.wait
  nv.cluster.wait
  // CHECK: nv.fence.mbarrier_init
  nv.fence.mbarrier_init
  // CHECK: nv.fence.proxy_async{{$}}
  nv.fence.proxy_async
  // CHECK: nv.fence.proxy_async_global
  nv.fence.proxy_async_global
  // CHECK: nv.fence.acq_rel gpu
  nv.fence.acq_rel gpu
  nv.return
}
