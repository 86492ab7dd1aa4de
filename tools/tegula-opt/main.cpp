// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parses IR of any of our dialects, runs the passes that are named, verifies and prints: mlir-opt with our dialects.
#include "compiler/pipeline/registration.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tegula::registerAllDialects(registry);
  tegula::registerAllPasses();
  return mlir::failed(mlir::MlirOptMain(argc, argv, "Tegula's optimizer driver\n", registry));
}
