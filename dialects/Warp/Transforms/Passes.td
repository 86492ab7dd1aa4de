// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of the warp dialect; compiler/pipeline/pipeline.cpp says in which order they run and why.

include "mlir/Pass/PassBase.td"

def WarpAssignSharedLayouts : Pass<"warp-assign-shared-layouts", "::mlir::ModuleOp"> {
  let summary = "gives every tile in shared memory the layout that suits all who touch it";
  let description = [{
    Before: views in shared memory have no layout. After: all have one, and views of views have the layout that follows.
    A tile's unit dim is that of the tensor it is copied from, so that TMA can fill it. What a tensor core or TMA touches
    gets the widest swizzle; what only threads touch gets padded rows.
  }];
  let dependentDialects = ["::tegula::warp::WarpDialect"];
}

def WarpAssignFragments : Pass<"warp-assign-fragments", "::mlir::ModuleOp"> {
  let summary = "spreads every register tile over the threads of its role instance";
  let description = [{
    Before: tensors have no encoding. After: all have one; what a tensor core computes is laid out as the hardware has it,
    all else follows along elementwise ops, loops, reductions and broadcasts; tiles that meet no tensor core are spread
    for wide, coalesced accesses to global memory. Where two demands meet, a `warp.convert_layout` stands between them.
  }];
  let dependentDialects = ["::tegula::warp::WarpDialect"];
}

def WarpInsertWaits : Pass<"warp-insert-waits", "::mlir::ModuleOp"> {
  let summary = "waits for products where they are first used and frees slots when their readers are done";
  let description = [{
    Before: `warp.mma` are issued where the author wrote them, nothing waits, no stage is freed. After: each use of a
    product's result is behind a `warp.mma_wait` that leaves as much in flight as program order allows, and each
    `warp.wait` is matched by a `warp.release` behind the completion of all reads of its stage.
  }];
  let dependentDialects = ["::tegula::warp::WarpDialect"];
}

def WarpInsertSyncs : Pass<"warp-insert-syncs", "::mlir::ModuleOp"> {
  let summary = "orders the accesses of an instance's threads to shared tiles";
  let description = [{
    Before: loads and stores of `warp.alloc` tiles stand in program order. After: a `warp.sync` stands between a store
    and a later load of the same tile, and between a load and a later store, also across iterations.
  }];
  let dependentDialects = ["::tegula::warp::WarpDialect"];
}

def WarpPlanSharedMemory : Pass<"warp-plan-shared-memory", "::mlir::ModuleOp"> {
  let summary = "gives rings, shared tiles and barriers their place in shared memory";
  let description = [{
    Before: no offsets. After: every `warp.ring` and `warp.alloc` has one, the kernel has `warp.shared_bytes`. Reports an
    error, naming each part and its bytes, when they exceed what a block may have.
  }];
  let dependentDialects = ["::tegula::warp::WarpDialect"];
}
