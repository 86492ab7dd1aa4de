// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How PTX is emitted. Apart from emit_ptx.h for those who know no MLIR.
#ifndef TEGULA_COMPILER_PTX_PTX_OPTIONS_H
#define TEGULA_COMPILER_PTX_PTX_OPTIONS_H

#include <string>

namespace tegula {

/// What of the source survives in the PTX.
enum class DebugInfo {
  none,
  lines, ///< `.loc` and `.file`: the machine code is the same, byte for byte, as without
  full,  ///< variables too. ptxas then compiles as for a debugger: setmaxnreg is ignored and wgmma serialised
};

struct PtxOptions {
  std::string arch = "sm_90a"; ///< sm_90a or sm_100a
  DebugInfo debug = DebugInfo::lines;
};

} // namespace tegula

#endif // TEGULA_COMPILER_PTX_PTX_OPTIONS_H
