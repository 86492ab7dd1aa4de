// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An entry's image is what is loaded (the cubin, else the PTX); its metadata is the manifest, and the PTX beside a
// cubin.
#include "compiler/jit/compile_store.h"

#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "compiler/jit/identity.h"
#include "runtime/cache/kernel_cache.h"

namespace tegula {
namespace {

std::string pack(const StoredCompile &stored) {
  return fmt::format("{}\n{}{}", stored.manifest.size(), stored.manifest, stored.cubin.empty() ? "" : stored.ptx);
}

Result<StoredCompile> unpack(const std::string &metadata, const std::string &image, bool is_cubin) {
  size_t length = 0;
  const size_t line = metadata.find('\n');
  const auto [end, status] =
      std::from_chars(metadata.data(), metadata.data() + std::min(line, metadata.size()), length);
  if (line == std::string::npos || status != std::errc() || metadata.size() - line - 1 < length)
    return Error(ErrorCode::internal, "a cache entry's metadata is not what the JIT writes");
  StoredCompile stored;
  stored.manifest = metadata.substr(line + 1, length);
  stored.ptx = is_cubin ? metadata.substr(line + 1 + length) : image;
  if (is_cubin)
    stored.cubin = image;
  return stored;
}

} // namespace

struct CompileStore::State {
  KernelCache cache;
  std::string options;
  std::string assembler;
};

CompileStore::CompileStore(const JitOptions &options, std::function<void(std::string_view)> warn)
    : state_(new State{KernelCache::open(read_environment(), {.directory = options.cache_directory,
                                                              .max_bytes = options.cache_bytes,
                                                              .warn = std::move(warn)}),
                       key_text(options), options.assemble ? assembler_identity(options.ptxas) : "driver"}) {}
CompileStore::CompileStore(CompileStore &&) noexcept = default;
CompileStore &CompileStore::operator=(CompileStore &&) noexcept = default;
CompileStore::~CompileStore() = default;

Result<StoredCompile> CompileStore::get(const SourceKey &source,
                                        const std::function<Result<StoredCompile>()> &compile) {
  TEGULA_TRY(const CacheKey key, CacheKey::of({{"kernel", source.kernel},
                                               {"schedule", source.schedule},
                                               {"target", source.arch},
                                               {"options", state_->options},
                                               {"compiler", compiler_identity()},
                                               {"assembler", state_->assembler}}));
  const auto pack_compile = [&]() -> Result<CachedKernel> {
    TEGULA_TRY(StoredCompile made, compile());
    const bool is_cubin = !made.cubin.empty();
    return CachedKernel{.kind = is_cubin ? CachedImageKind::cubin : CachedImageKind::ptx,
                        .metadata = pack(made),
                        .image = is_cubin ? std::move(made.cubin) : std::move(made.ptx)};
  };
  TEGULA_TRY(const CacheAnswer answer, state_->cache.get_or_compile(key, pack_compile));
  const CachedKernel &kernel = answer.entry->kernel;
  TEGULA_TRY(StoredCompile stored, unpack(kernel.metadata, kernel.image, kernel.kind == CachedImageKind::cubin));
  stored.source = answer.source == CacheSource::memory ? StoredCompile::Source::memory
                  : answer.source == CacheSource::disk ? StoredCompile::Source::disk
                                                       : StoredCompile::Source::compiled;
  return stored;
}

StoreCounts CompileStore::counts() const {
  const CacheCounts counts = state_->cache.counts();
  return {counts.memory_hits, counts.disk_hits, counts.compiles};
}

} // namespace tegula
