// RUN: tegula-opt %s --convert-nv-to-llvm | FileCheck %s

// CHECK-LABEL: llvm.func @mbarriers
nv.kernel @mbarriers(%bytes: i32, %parity: i32, %rank: i32) threads 32 {
  %base = nv.shared_base
  %b = nv.mbarrier.at %base
  %one = nv.elect
  // CHECK: "mbarrier.init.shared::cta.b64 [$0], 2;", "r,~{memory}"
  nv.mbarrier.init %b, count = 2
  // CHECK: "@$0 mbarrier.arrive.shared::cta.b64 _, [$1];", "b,r,~{memory}"
  nv.mbarrier.arrive %b if %one
  // The default order, release.cta: .release.cluster fences all of memory.
  // CHECK: "{\0A.reg .b32 remote;\0A@$0 mapa.shared::cluster.u32 remote, $1, $2;\0A@$0 mbarrier.arrive.shared::cluster.b64 _, [remote];\0A}", "b,r,r,~{memory}"
  nv.mbarrier.arrive_remote %b, %rank if %one
  // CHECK: "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;", "r,r,~{memory}"
  nv.mbarrier.arrive_expect %b, %bytes
  // CHECK: "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [$0], $1;"
  nv.mbarrier.expect %b, %bytes
  // CHECK: "{\0A.reg .pred done;\0Ategula_wait_${:uid}:\0Ambarrier.try_wait.parity.shared::cta.b64 done, [$0], $1;\0A@!done bra tegula_wait_${:uid};\0A}", "r,r,~{memory}"
  nv.mbarrier.wait %b, %parity
  // CHECK: "mbarrier.try_wait.parity.shared::cta.b64 $0, [$1], $2;", "=b,r,r,~{memory}"
  %done = nv.mbarrier.try_wait %b, %parity
  // CHECK: "mbarrier.inval.shared::cta.b64 [$0];"
  nv.mbarrier.invalidate %b
  nv.return
}

// Constant ids and counts stay constants, from which LLVM makes immediates.
// CHECK-LABEL: llvm.func @named
nv.kernel @named() threads 256 {
  %id = arith.constant 3 : i32
  %threads = arith.constant 256 : i32
  // CHECK: nvvm.barrier id = %{{.*}} number_of_threads = %{{.*}}
  nv.barrier.sync %id, %threads
  // CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.arrive.aligned.count"
  nv.barrier.arrive %id, %threads
  // CHECK: nvvm.barrier0
  nv.block_sync
  // CHECK: nvvm.cluster.arrive.relaxed {aligned}
  nv.cluster.arrive relaxed
  // CHECK: nvvm.cluster.arrive {aligned}
  nv.cluster.arrive
  // CHECK: nvvm.cluster.wait {aligned}
  nv.cluster.wait
  // CHECK: nvvm.fence.mbarrier.init
  nv.fence.mbarrier_init
  // CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
  nv.fence.proxy_async
  // CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.global>}
  nv.fence.proxy_async_global
  // CHECK: "fence.acq_rel.gpu;"
  nv.fence.acq_rel gpu
  nv.return
}
