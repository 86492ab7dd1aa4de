// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers of the cluster, and the fences between threads and between proxies.
#ifndef TEGULA_NV_CLUSTER_OPS_TD
#define TEGULA_NV_CLUSTER_OPS_TD

include "NVTypes.td"
include "NVEnums.td"

def NV_ClusterArriveOp : NV_EffectOp<"cluster.arrive"> {
  let summary = "arrives at the cluster's barrier";
  let description = [{ `nv.cluster.arrive` publishes earlier writes (release); `nv.cluster.arrive relaxed` doesn't. }];
  let arguments = (ins UnitAttr:$relaxed);
  let assemblyFormat = "(`relaxed` $relaxed^)? attr-dict";
}
def NV_ClusterWaitOp : NV_EffectOp<"cluster.wait"> {
  let summary = "waits until all threads of the cluster have arrived (acquire)";
  let description = [{ `nv.cluster.wait` }];
  let assemblyFormat = "attr-dict";
}

def NV_FenceMBarrierInitOp : NV_EffectOp<"fence.mbarrier_init"> {
  let summary = "makes initialised barriers visible to the cluster and to bulk copies";
  let description = [{ `nv.fence.mbarrier_init` (PTX fence.mbarrier_init.release.cluster) }];
  let assemblyFormat = "attr-dict";
}
def NV_FenceProxyAsyncOp : NV_EffectOp<"fence.proxy_async"> {
  let summary = "orders this thread's ordinary accesses of shared memory with TMA's and wgmma's";
  let description = [{ `nv.fence.proxy_async` by each writer, then a barrier, then the bulk copy or wgmma. }];
  let assemblyFormat = "attr-dict";
}
def NV_FenceProxyAsyncGlobalOp : NV_EffectOp<"fence.proxy_async_global"> {
  let summary = "orders this thread's ordinary accesses of global memory with TMA's";
  let description = [{ `nv.fence.proxy_async_global` (PTX fence.proxy.async.global) }];
  let assemblyFormat = "attr-dict";
}
def NV_FenceOp : NV_EffectOp<"fence.acq_rel"> {
  let summary = "orders this thread's accesses for the threads of a scope";
  let description = [{ `nv.fence.acq_rel gpu` }];
  let arguments = (ins NV_ScopeAttr:$scope);
  let assemblyFormat = "$scope attr-dict";
}

#endif
