// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ties builders, the compiler, the cache and the loader together.
#include "compiler/jit/jit.h"

#include <utility>

#include <fmt/format.h>

#include "compiler/jit/compile_store.h"
#include "compiler/jit/identity.h"
#include "compiler/pipeline/compile.h"

namespace tegula {
namespace {

Result<StoredCompile> compile_source(const KernelSource &source, const CompileOptions &options) {
  TEGULA_TRY(const dsl::Kernel kernel, source.build());
  TEGULA_TRY(CompiledKernel made, compile_kernel(kernel, options));
  made.manifest.compiler = compiler_identity();
  return StoredCompile{.manifest = to_json(made.manifest),
                       .ptx = made.ptx,
                       .cubin = {reinterpret_cast<const char *>(made.cubin.data()), made.cubin.size()}};
}

} // namespace

struct Jit::State {
  JitOptions options;
  CompileStore store;
};

Jit::Jit(JitOptions options, std::function<void(std::string_view)> warn)
    : state_(new State{options, CompileStore(options, std::move(warn))}) {}
Jit::Jit(Jit &&) noexcept = default;
Jit &Jit::operator=(Jit &&) noexcept = default;
Jit::~Jit() = default;

const JitOptions &Jit::options() const { return state_->options; }

Result<JitKernel> Jit::compile(const KernelSource &source, std::string_view arch) {
  CompileOptions options;
  if (!arch.empty() || !state_->options.arch.empty())
    options.arch = arch.empty() ? state_->options.arch : std::string(arch);
  if (state_->options.debug == "none")
    options.debug = DebugInfo::none;
  options.assemble = state_->options.assemble;
  const SourceKey key{fmt::format("{} {}", source.kernel, source.identity), source.schedule, options.arch};
  TEGULA_TRY(StoredCompile stored, state_->store.get(key, [&] { return compile_source(source, options); }));
  TEGULA_TRY(KernelManifest manifest, parse_manifest(stored.manifest));
  return JitKernel{.manifest = std::move(manifest),
                   .ptx = std::move(stored.ptx),
                   .cubin = std::move(stored.cubin),
                   .compiled = stored.source == StoredCompile::Source::compiled};
}

Result<Kernel> Jit::load(const Context &context, const JitKernel &kernel) {
  // The emulator executes PTX.
  const bool as_ptx = kernel.cubin.empty() || context.device().emulated;
  const std::string &image = as_ptx ? kernel.ptx : kernel.cubin;
  return Kernel::load(context, kernel.manifest, std::as_bytes(std::span(image)));
}

Result<Kernel> Jit::load(const Context &context, const KernelSource &source) {
  TEGULA_TRY(const JitKernel kernel,
             compile(source, state_->options.arch.empty() ? native_arch(context.device()) : state_->options.arch));
  return load(context, kernel);
}

JitCounts Jit::counts() const {
  const StoreCounts counts = state_->store.counts();
  return {counts.memory_hits, counts.disk_hits, counts.compiles};
}

} // namespace tegula
