// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dialects and passes of Tegula by name, for tegula-opt and tegula-lsp-server.
#pragma once

namespace mlir {
class DialectRegistry;
}

namespace tegula {

/// tile, warp, nv, and the upstream dialects that stand beside them.
void registerAllDialects(mlir::DialectRegistry &registry);
/// Each pass under its name. Once a process.
void registerAllPasses();

} // namespace tegula
