// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiler's last steps on text, for tests: `nv` to PTX or LLVM IR, and the splitting of fragments alone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/ptx/ptx_options.h"
#include "runtime/result/result.h"

namespace tegula {

struct Emitted {
  Result<std::string> text;
  std::vector<std::string> diagnostics; ///< "kernel.mlir:3:5: error: …"
};

/// convert-nv-to-llvm, then emit_ptx. The text is "kernel.mlir".
Emitted ptx_of(std::string_view nv, const PtxOptions &options = {});
Emitted llvm_ir_of(std::string_view nv, const PtxOptions &options = {});

/// scalarize_fragments on each function of a module of LLVM IR, then dead code removed; the module as text.
std::string scalarized(std::string_view llvm_ir);

/// How often `word` stands in `text`.
int count(std::string_view text, std::string_view word);

} // namespace tegula
