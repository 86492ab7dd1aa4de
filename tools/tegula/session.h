// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What several subcommands set up alike: the JIT, a device, the cases to run, compiling ahead on all cores.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/registry/registry.h"
#include "tools/tegula/arguments/arguments.h"

namespace tegula {

/// With the cache and the assembler that the command line names.
[[nodiscard]] Jit make_jit(const Arguments &arguments);

/// The device that --device names, else the first GPU, else the emulator.
[[nodiscard]] Result<Context> open_context(const Arguments &arguments);

/// A line of a CSV file whose first comment names the columns: those that are parameters of the kernel become words.
struct ShapeLine {
  std::vector<std::string> words;
  std::string note;
};
/// \errors io_error: can't be read; bad_argument: a line with too few cells, naming it.
[[nodiscard]] Result<std::vector<ShapeLine>> read_shapes(const std::string &path,
                                                         std::span<const Parameter> parameters);

/// The parameters of each run that the command line asks for: its words alone, or with each line of --shapes.
[[nodiscard]] Result<std::vector<ParameterValues>> read_cases(const Arguments &arguments, const KernelEntry &kernel);

/// Compiles the kernels of all cases on all cores, each once. What fails is left for the run that needs it to report.
void compile_ahead(Jit &jit, const KernelEntry &kernel, std::span<const ParameterValues> cases, std::string_view arch);
void compile_ahead(Jit &jit, std::span<const KernelSource> sources, std::string_view arch);

} // namespace tegula
