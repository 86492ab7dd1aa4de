// RUN: tegula-opt %s | tegula-opt | FileCheck %s
// Bulk copies survive printing and parsing.

// CHECK-LABEL: nv.kernel @bulk
// CHECK-SAME: %[[MAP:.*]]: !nv.tensor_map, %[[P:.*]]: !llvm.ptr<1>, %[[X:.*]]: i32, %[[Y:.*]]: i32, %[[MASK:.*]]: i16
nv.kernel @bulk(%map: !nv.tensor_map, %p: !llvm.ptr<1>, %x: i32, %y: i32, %mask: i16) threads 32 {
  // CHECK: %[[S:.*]] = nv.shared_base
  %s = nv.shared_base
  // CHECK: %[[B:.*]] = nv.mbarrier.at
  %b = nv.mbarrier.at %s
  // CHECK: %[[ONE:.*]] = nv.elect
  %one = nv.elect
  // CHECK: nv.tma.load %[[MAP]][%[[X]], %[[Y]]] to %[[S]], %[[B]] if %[[ONE]]
  nv.tma.load %map[%x, %y] to %s, %b if %one
  // CHECK: nv.tma.load %[[MAP]][%[[X]]] to %[[S]], %[[B]] multicast %[[MASK]] cache evict_first if %[[ONE]]
  nv.tma.load %map[%x] to %s, %b multicast %mask cache evict_first if %one
  // CHECK: nv.tma.store %[[MAP]][%[[X]], %[[Y]]] from %[[S]] cache evict_last if %[[ONE]]
  nv.tma.store %map[%x, %y] from %s cache evict_last if %one
  // CHECK: nv.tma.reduce add %[[MAP]][%[[X]], %[[Y]]] from %[[S]] if %[[ONE]]
  nv.tma.reduce add %map[%x, %y] from %s if %one
  // CHECK: nv.tma.prefetch_map %[[MAP]]
  nv.tma.prefetch_map %map
  // CHECK: nv.bulk.load %[[P]] to %[[S]], %[[B]], %[[X]] if %[[ONE]]
  nv.bulk.load %p to %s, %b, %x if %one
  // CHECK: nv.bulk.store %[[S]] to %[[P]], %[[X]] if %[[ONE]]
  nv.bulk.store %s to %p, %x if %one
  // CHECK: nv.bulk.commit
  nv.bulk.commit
  // CHECK: nv.bulk.wait pending = 1 read
  nv.bulk.wait pending = 1 read
  // CHECK: nv.bulk.wait pending = 0{{$}}
  nv.bulk.wait pending = 0
  nv.return
}

// Under a branch on the elected thread the copy needs no predicate.
// CHECK-LABEL: nv.kernel @branch
nv.kernel @branch(%map: !nv.tensor_map, %x: i32) threads 32 {
  %s = nv.shared_base
  %b = nv.mbarrier.at %s
  %one = nv.elect
  scf.if %one {
    // CHECK: nv.tma.load
    nv.tma.load %map[%x] to %s, %b
  }
  nv.return
}
