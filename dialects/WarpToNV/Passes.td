// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass from warp to nv.

include "mlir/Pass/PassBase.td"

def ConvertWarpToNV : Pass<"convert-warp-to-nv", "::mlir::ModuleOp"> {
  let summary = "writes each kernel out for one thread, in instructions";
  let description = [{
    Before: `tile` and `warp` with layouts and offsets. After: one `nv.kernel` for each, whose values are scalars and the
    fragments (vectors) of one thread; addresses, descriptors, boxes, phases and predicates are computed.
  }];
}
