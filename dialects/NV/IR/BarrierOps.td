// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transaction barriers in shared memory (mbarrier) and the block's sixteen named barriers.
#ifndef TEGULA_NV_BARRIER_OPS_TD
#define TEGULA_NV_BARRIER_OPS_TD

include "NVTypes.td"
include "NVEnums.td"

def NV_MBarrierAtOp : NV_Op<"mbarrier.at", [Pure]> {
  let summary = "names the mbarrier at a shared address";
  let description = [{
    `%b = nv.mbarrier.at %address`
    B1: the address, where it is a constant offset from the base, is a multiple of 8.  (PTX mbarrier)
  }];
  let arguments = (ins NV_Shared:$address);
  let results = (outs NV_MBarrier:$result);
  let assemblyFormat = "$address attr-dict";
  let hasVerifier = 1;
}

def NV_MBarrierInitOp : NV_EffectOp<"mbarrier.init"> {
  let summary = "initialises a barrier for `count` arrivals a phase; one thread does it";
  let description = [{
    `nv.mbarrier.init %b, count = 2`, then `nv.fence.mbarrier_init` and a barrier of the threads that will use it.
    B2: the count is 1 to 2^20 - 1.  (PTX mbarrier.init)
  }];
  let arguments = (ins NV_MBarrier:$barrier, I32Attr:$count, Optional<I1>:$predicate);
  let assemblyFormat = "$barrier `,` `count` `=` $count (`if` $predicate^)? attr-dict";
  let hasVerifier = 1;
}

def NV_MBarrierArriveOp : NV_EffectOp<"mbarrier.arrive"> {
  let summary = "arrives at a barrier of this block";
  let description = [{ `nv.mbarrier.arrive %b if %elected` (release.cta) }];
  let arguments = (ins NV_MBarrier:$barrier, Optional<I1>:$predicate);
  let assemblyFormat = "$barrier (`if` $predicate^)? attr-dict";
}

def NV_MBarrierArriveRemoteOp : NV_EffectOp<"mbarrier.arrive_remote"> {
  let summary = "arrives at the same barrier of another block of the cluster";
  let description = [{
    `nv.mbarrier.arrive_remote %b, %rank if %elected`. Frees a slot in the other block; it does not publish ordinary
    stores there (the form that does, `.release.cluster`, fences all of memory and costs a fifth of a GEMM).
  }];
  let arguments = (ins NV_MBarrier:$barrier, I32:$rank, Optional<I1>:$predicate);
  let assemblyFormat = "$barrier `,` $rank (`if` $predicate^)? attr-dict";
}

def NV_MBarrierArriveExpectOp : NV_EffectOp<"mbarrier.arrive_expect"> {
  let summary = "arrives and announces the bytes that bulk copies will bring in this phase";
  let description = [{
    `nv.mbarrier.arrive_expect %b, %bytes if %elected`, before the copies.
    B3: constant bytes are 0 to 2^20 - 1.  (PTX mbarrier, tx-count)
  }];
  let arguments = (ins NV_MBarrier:$barrier, I32:$bytes, Optional<I1>:$predicate);
  let assemblyFormat = "$barrier `,` $bytes (`if` $predicate^)? attr-dict";
  let hasVerifier = 1;
}

def NV_MBarrierExpectOp : NV_EffectOp<"mbarrier.expect"> {
  let summary = "announces bytes without arriving";
  let description = [{
    `nv.mbarrier.expect %b, %bytes if %elected`
    B3: constant bytes are 0 to 2^20 - 1.  (PTX mbarrier, tx-count)
  }];
  let arguments = (ins NV_MBarrier:$barrier, I32:$bytes, Optional<I1>:$predicate);
  let assemblyFormat = "$barrier `,` $bytes (`if` $predicate^)? attr-dict";
  let hasVerifier = 1;
}

def NV_MBarrierWaitOp : NV_EffectOp<"mbarrier.wait"> {
  let summary = "waits until the phase of this parity is complete";
  let description = [{
    `nv.mbarrier.wait %b, %parity`. A fresh barrier counts the phase before its first as complete: parity 1 passes.
    B4: a constant parity is 0 or 1.  (PTX mbarrier.try_wait)
  }];
  let arguments = (ins NV_MBarrier:$barrier, I32:$parity);
  let assemblyFormat = "$barrier `,` $parity attr-dict";
  let hasVerifier = 1;
}

def NV_MBarrierTryWaitOp : NV_EffectOp<"mbarrier.try_wait"> {
  let summary = "true when the phase of this parity is complete; may give up after a while";
  let description = [{
    `%done = nv.mbarrier.try_wait %b, %parity` gives an i1.
    B4: a constant parity is 0 or 1.  (PTX mbarrier.try_wait)
  }];
  let arguments = (ins NV_MBarrier:$barrier, I32:$parity);
  let results = (outs I1:$result);
  let assemblyFormat = "$barrier `,` $parity attr-dict";
  let hasVerifier = 1;
}

def NV_MBarrierInvalidateOp : NV_EffectOp<"mbarrier.invalidate"> {
  let summary = "ends a barrier's life, so that its bytes can serve something else";
  let description = [{ `nv.mbarrier.invalidate %b if %elected` (PTX mbarrier.inval) }];
  let arguments = (ins NV_MBarrier:$barrier, Optional<I1>:$predicate);
  let assemblyFormat = "$barrier (`if` $predicate^)? attr-dict";
}

def NV_BarrierSyncOp : NV_EffectOp<"barrier.sync"> {
  let summary = "waits at a named barrier for `threads` threads";
  let description = [{
    `nv.barrier.sync %id, %threads`. Give the id as a constant: from a register ptxas reserves all 16 barriers.
    N1: a constant id is 0 to 15.  N2: a constant number of threads is a multiple of 32, 32 to 1024.  (PTX barrier.cta)
  }];
  let arguments = (ins I32:$id, I32:$threads);
  let assemblyFormat = "$id `,` $threads attr-dict";
  let hasVerifier = 1;
}

def NV_BarrierArriveOp : NV_EffectOp<"barrier.arrive"> {
  let summary = "arrives at a named barrier without waiting";
  let description = [{
    `nv.barrier.arrive %id, %threads`
    N1: a constant id is 0 to 15.  N2: a constant number of threads is a multiple of 32, 32 to 1024.  (PTX barrier.cta)
  }];
  let arguments = (ins I32:$id, I32:$threads);
  let assemblyFormat = "$id `,` $threads attr-dict";
  let hasVerifier = 1;
}

def NV_BlockSyncOp : NV_EffectOp<"block_sync"> {
  let summary = "waits for all threads of the block (barrier 0)";
  let description = [{ `nv.block_sync` }];
  let assemblyFormat = "attr-dict";
}

#endif
