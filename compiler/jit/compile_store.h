// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between the JIT and the kernel cache: what a compile leaves (manifest, PTX, cubin) as one entry, and back.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/jit/options.h"
#include "runtime/result/result.h"

namespace tegula {

/// What is kept of a compile. Shared and never changed.
struct StoredCompile {
  std::string manifest; ///< JSON
  std::string ptx;
  std::string cubin; ///< empty: the driver compiles the PTX
  enum class Source { memory, disk, compiled } source = Source::compiled;
};

struct StoreCounts {
  int64_t memory_hits = 0, disk_hits = 0, compiles = 0;
};

/// What a kernel's code depends on, besides options, compiler and assembler.
struct SourceKey {
  std::string kernel;   ///< its name and whatever fixes its code
  std::string schedule; ///< may be empty
  std::string arch;
};

class CompileStore {
public:
  /// Touches no file. `warn` gets the cache's warnings.
  CompileStore(const JitOptions &options, std::function<void(std::string_view)> warn);
  CompileStore(CompileStore &&) noexcept;
  CompileStore &operator=(CompileStore &&) noexcept;
  ~CompileStore();

  [[nodiscard]] Result<StoredCompile> get(const SourceKey &source,
                                          const std::function<Result<StoredCompile>()> &compile);
  [[nodiscard]] StoreCounts counts() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace tegula
