// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The JIT: from a kernel's builder to a kernel on a device, through the cache. On a hit no compiler is started, not
// even the DSL runs: the key is made from the source's words, not from its code.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "compiler/dsl/kernel.h"
#include "compiler/jit/options.h"
#include "runtime/launch/kernel.h"

namespace tegula {

/// A kernel that can be built, and the words that fix its code. Two sources with equal words must build equal kernels;
/// which build of the compiler they are part of is in the key anyway.
struct KernelSource {
  std::string kernel;   ///< "gemm"
  std::string identity; ///< what it computes: types, layouts, epilogue
  std::string schedule; ///< how it is run
  std::function<Result<dsl::Kernel>()> build;
};

/// A compiled kernel, as the cache keeps it.
struct JitKernel {
  KernelManifest manifest;
  std::string ptx;
  std::string cubin;     ///< empty: PTX only, the driver compiles it
  bool compiled = false; ///< by this call, and not found in memory or on disk
};

struct JitCounts {
  int64_t memory_hits = 0, disk_hits = 0, compiles = 0;
};

class Jit {
public:
  /// Touches no file and starts nothing. `warn` gets a line for each thing that is worth knowing (cache trouble).
  explicit Jit(JitOptions options = {}, std::function<void(std::string_view)> warn = {});
  Jit(Jit &&) noexcept;
  Jit &operator=(Jit &&) noexcept;
  ~Jit();

  [[nodiscard]] const JitOptions &options() const;

  /// Compiles for an architecture, or finds it compiled. Safe from several threads at once; one compiles a key, the
  /// others wait for it.
  /// \param arch  "sm_90a"; empty: JitOptions::arch, else what the kernel was written for.
  [[nodiscard]] Result<JitKernel> compile(const KernelSource &source, std::string_view arch = {});

  /// Compiles for the context's device and loads it there.
  ///     TEGULA_TRY(Kernel kernel, jit.load(context, {"saxpy", "", "", build_saxpy}));
  [[nodiscard]] Result<Kernel> load(const Context &context, const KernelSource &source);
  /// Loads what compile() gave.
  [[nodiscard]] static Result<Kernel> load(const Context &context, const JitKernel &kernel);

  /// How often each way was taken by this object: one compile serves all extents of a kernel.
  [[nodiscard]] JitCounts counts() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace tegula
