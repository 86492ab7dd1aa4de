// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Serves editors that open IR of our dialects: diagnostics, definitions and types under the cursor.
#include "compiler/pipeline/registration.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tegula::registerAllDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
