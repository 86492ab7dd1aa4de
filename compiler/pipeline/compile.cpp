// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pipeline/compile.h"

#include "compiler/pipeline/lowering.h"
#include "compiler/ptx/assemble.h"

#include "dialects/NV/IR/NVDialect.h"

namespace tegula {

Result<CompiledKernel> compile_kernel(const dsl::Kernel &kernel, const CompileOptions &options) {
  Lowering lowering(kernel, options);
  TEGULA_CHECK(lowering.run_to(Stage::llvm));
  CompiledKernel compiled;
  TEGULA_TRY(compiled.ptx, emit_ptx(lowering.module(), {.arch = options.arch, .debug = options.debug}));
  TEGULA_TRY(Assembled assembled,
             assemble(compiled.ptx, {.arch = options.arch, .toolkit = {}, .use_ptxas = options.assemble}));
  compiled.manifest = std::move(lowering.manifest());
  compiled.manifest.entry = compiled.manifest.kernel;
  compiled.manifest.resources = assembled.resources(compiled.manifest.entry);
  compiled.manifest.assembler = assembled.assembler_name();
  compiled.cubin = std::move(assembled.cubin);
  return compiled;
}

} // namespace tegula
