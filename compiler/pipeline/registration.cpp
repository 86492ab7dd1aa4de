// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pipeline/registration.h"

#include "dialects/NV/IR/NVDialect.h"
#include "dialects/NVToLLVM/NVToLLVM.h"
#include "dialects/TileToWarp/TileToWarp.h"
#include "dialects/Warp/Transforms/Passes.h"
#include "dialects/WarpToNV/WarpToNV.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/Passes.h"

void tegula::registerAllDialects(mlir::DialectRegistry &registry) {
  registry
      .insert<tile::TileDialect, warp::WarpDialect, nv::NVDialect, mlir::arith::ArithDialect,
              mlir::cf::ControlFlowDialect, mlir::func::FuncDialect, mlir::LLVM::LLVMDialect, mlir::math::MathDialect,
              mlir::NVVM::NVVMDialect, mlir::scf::SCFDialect, mlir::ub::UBDialect, mlir::vector::VectorDialect>();
}

void tegula::registerAllPasses() {
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  warp::registerWarpPasses();
  registerTileToWarpPasses();
  registerWarpToNVPasses();
  nv::registerNVToLLVMPasses();
}
