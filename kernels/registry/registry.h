// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels that the command line knows: what each is called, takes, compiles to, and how a run of it is checked.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/jit/jit.h"
#include "kernels/registry/parameters.h"
#include "runtime/driver/stream.h"

namespace tegula {

/// A device with a JIT: what running a kernel takes.
struct Session {
  const Context &context;
  Jit &jit;
  const Stream &stream;
};

/// A kernel that a call with some parameters launches. A GEMM may launch several.
struct KernelPart {
  std::string label;
  KernelSource source;
};

/// The outcome of one run beside its reference.
struct CheckReport {
  std::string input;   ///< the parameters that repeat it
  std::string path;    ///< which kernels ran and why
  std::string fault;   ///< "" if all was right
  int64_t checked = 0; ///< elements compared
  double worst = 0;    ///< the largest error, as a share of what is allowed
  [[nodiscard]] bool passed() const { return fault.empty(); }
};

struct KernelEntry {
  std::string_view name, summary;
  std::span<const std::string_view> targets;
  const std::vector<Parameter> &(*parameters)();
  /// The kernels that a call launches, in order; all parameters are given.
  Result<std::vector<KernelPart>> (*parts)(const ParameterValues &values, std::string_view arch);
  /// Path, schedule and why, in one line.
  Result<std::string> (*explain)(const ParameterValues &values);
  /// Runs it once on random inputs and compares with a reference.
  Result<CheckReport> (*check)(Session &session, const ParameterValues &values);
  /// The words of a random case, the same for the same seed; null where there are none.
  std::vector<std::string> (*random)(uint64_t seed);
};

/// All of them, in the order in which a newcomer should meet them.
[[nodiscard]] std::span<const KernelEntry> kernel_registry();

/// \errors not_found: there is none of that name, with the nearest one and all there are.
[[nodiscard]] Result<const KernelEntry *> find_kernel(std::string_view name);

} // namespace tegula
