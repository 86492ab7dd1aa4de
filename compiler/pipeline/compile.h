// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a finished kernel of the DSL to what a launch needs, and to the text of each stage on the way.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "compiler/dsl/kernel.h"
#include "compiler/ptx/emit_ptx.h"
#include "runtime/launch/manifest.h"
#include "runtime/result/result.h"

namespace tegula {

struct CompileOptions {
  std::string arch = "sm_90a";
  DebugInfo debug = DebugInfo::lines;
  bool assemble = true; ///< false: PTX alone, even where ptxas is found
};

/// What can be looked at, in the order in which it comes about.
enum class Stage { tile, warp, nv, llvm, ptx, sass, resources };

struct CompiledKernel {
  KernelManifest manifest; ///< complete but for `compiler`, which who calls knows
  std::string ptx;
  std::vector<std::byte> cubin; ///< empty: PTX alone; manifest.assembler says "driver"
};

/// Lowers a copy of the kernel's module; the kernel can be compiled again, for another architecture too.
/// \errors bad_argument: the kernel asks for what the target or a block lacks, with the lines of the kernel;
///         internal: a pass refused what an earlier one made; what emit_ptx and assemble report.
[[nodiscard]] Result<CompiledKernel> compile_kernel(const dsl::Kernel &kernel, const CompileOptions &options);

/// The kernel as text at one stage. `sass` needs nvdisasm or cuobjdump; `resources` is what ptxas reports.
/// \errors as compile_kernel; not_found when no disassembler or no ptxas is found.
[[nodiscard]] Result<std::string> print_stage(const dsl::Kernel &kernel, Stage stage, const CompileOptions &options);

} // namespace tegula
