// RUN: tegula-opt %s --convert-nv-to-llvm | FileCheck %s

// CHECK-LABEL: llvm.func @bulk
nv.kernel @bulk(%map: !nv.tensor_map, %p: !llvm.ptr<1>, %x: i32, %y: i32, %mask: i16) threads 32 {
  %s = nv.shared_base
  %b = nv.mbarrier.at %s
  %one = nv.elect
  // CHECK: "@$0 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [$4], [$1, {$2, $3}], [$5];", "b,l,r,r,r,r,~{memory}"
  nv.tma.load %map[%x, %y] to %s, %b if %one
  // evict_first is 0x12F0000000000000.
  // CHECK: %[[POLICY:.*]] = llvm.mlir.constant(1364590687093260288 : i64)
  // CHECK: "@$0 cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [$5], [$3, {$4}], [$6], $1, $2;", "b,h,l,l,r,r,r,~{memory}"
  nv.tma.load %map[%x] to %s, %b multicast %mask cache evict_first if %one
  // CHECK: "@$0 cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [$1, {$2, $3, $4}], [$5];"
  nv.tma.store %map[%x, %y, %x] from %s if %one
  // CHECK: "@$0 cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [$1, {$2, $3}], [$4];"
  nv.tma.reduce add %map[%x, %y] from %s if %one
  // CHECK: "prefetch.tensormap [$0];", "l,~{memory}"
  nv.tma.prefetch_map %map
  // CHECK: "@$0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$2], [$1], $4, [$3];", "b,l,r,r,r,~{memory}"
  nv.bulk.load %p to %s, %b, %x if %one
  // CHECK: "@$0 cp.async.bulk.global.shared::cta.bulk_group [$2], [$1], $3;"
  nv.bulk.store %s to %p, %x if %one
  // CHECK: nvvm.cp.async.bulk.commit.group
  nv.bulk.commit
  // CHECK: nvvm.cp.async.bulk.wait_group 1 {read}
  nv.bulk.wait pending = 1 read
  // CHECK: nvvm.cp.async.bulk.wait_group 0{{$}}
  nv.bulk.wait pending = 0
  nv.return
}
