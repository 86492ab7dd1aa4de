// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of each stage of a compile.

#include "compiler/pipeline/compile.h"
#include "compiler/pipeline/lowering.h"
#include "compiler/ptx/ptxas_report.h"
#include "runtime/toolkit/child_process.h"
#include "runtime/toolkit/toolkit.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/raw_ostream.h"

namespace tegula {
namespace {

std::string module_text(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  stream << '\n';
  return text;
}

Result<std::string> disassemble(const CompiledKernel &compiled) {
  if (compiled.cubin.empty())
    return Error(ErrorCode::not_found, "there is no cubin to disassemble: no ptxas was found or it was not asked for");
  llvm::SmallString<128> path;
  int descriptor = -1;
  if (std::error_code failed = llvm::sys::fs::createTemporaryFile("tegula", "cubin", descriptor, path))
    return Error(ErrorCode::io_error, "a temporary file for the cubin: " + failed.message());
  llvm::FileRemover remover(path);
  llvm::raw_fd_ostream file(descriptor, /*shouldClose=*/true);
  file.write(reinterpret_cast<const char *>(compiled.cubin.data()), compiled.cubin.size());
  file.close();
  Result<Tool> tool = find_tool("nvdisasm");
  std::vector<std::string> command;
  if (tool) {
    command = {tool->path.string(), "-c", path.str().str()};
  } else {
    TEGULA_TRY(Tool dump, find_tool("cuobjdump"));
    command = {dump.path.string(), "--dump-sass", path.str().str()};
  }
  TEGULA_TRY(ChildResult result, run_child(command));
  if (!result.ok())
    return Error(ErrorCode::internal, command.front() + ": " + result.err);
  return result.out;
}

std::string resources_text(const CompiledKernel &compiled) {
  const KernelManifest &manifest = compiled.manifest;
  const ResourceReport &report = manifest.resources;
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "assembler          " << manifest.assembler << '\n';
  stream << "threads            " << manifest.block_threads << '\n';
  stream << "registers          " << report.registers << " a thread at entry\n";
  stream << "spills             " << report.spill_store_bytes << " bytes stored, " << report.spill_load_bytes
         << " loaded\n";
  stream << "stack              " << report.stack_bytes << " bytes\n";
  stream << "shared memory      " << manifest.dynamic_shared_bytes << " bytes dynamic, " << report.shared_bytes
         << " static\n";
  stream << "serialized wgmma   " << (report.serialized_wgmma ? "yes" : "no") << '\n';
  for (const auto &[name, value] : manifest.schedule)
    stream << name << ' ' << value << '\n';
  for (const std::string &remark : report.remarks)
    stream << "remark             " << remark << '\n';
  for (const std::string &fault : faults_of(report))
    stream << "fault              " << fault << '\n';
  return text;
}

} // namespace

Result<std::string> print_stage(const dsl::Kernel &kernel, Stage stage, const CompileOptions &options) {
  if (stage >= Stage::ptx) {
    CompileOptions wanted = options;
    wanted.assemble = options.assemble && stage != Stage::ptx;
    TEGULA_TRY(CompiledKernel compiled, compile_kernel(kernel, wanted));
    if (stage == Stage::ptx)
      return compiled.ptx;
    return stage == Stage::sass ? disassemble(compiled) : Result<std::string>(resources_text(compiled));
  }
  Lowering lowering(kernel, options);
  TEGULA_CHECK(lowering.run_to(stage));
  if (stage == Stage::llvm)
    return emit_llvm_ir(lowering.module(), {.arch = options.arch, .debug = options.debug});
  return module_text(lowering.module());
}

} // namespace tegula
