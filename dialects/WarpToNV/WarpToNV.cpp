// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// convert-warp-to-nv as a pass; the manifest is dropped. compiler/pipeline/compile.cpp calls convertWarpToNV to keep it.

#include "dialects/WarpToNV/WarpToNV.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tegula {
#define GEN_PASS_DEF_CONVERTWARPTONV
#include "dialects/WarpToNV/Passes.h.inc"
} // namespace tegula

using namespace mlir;
using namespace tegula;

namespace {

struct ConvertWarpToNV : tegula::impl::ConvertWarpToNVBase<ConvertWarpToNV> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<nv::NVDialect, LLVM::LLVMDialect, vector::VectorDialect, ub::UBDialect>();
  }

  void runOnOperation() override {
    SmallVector<tile::KernelOp> kernels;
    getOperation().walk([&](tile::KernelOp kernel) { kernels.push_back(kernel); });
    for (tile::KernelOp kernel : kernels) {
      KernelManifest manifest;
      if (failed(convertWarpToNV(kernel, manifest)))
        return signalPassFailure();
    }
  }
};

} // namespace
