// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From PTX to a cubin by ptxas, where a toolkit is found; otherwise the driver gets the PTX at load time.
#ifndef TEGULA_COMPILER_PTX_ASSEMBLE_H
#define TEGULA_COMPILER_PTX_ASSEMBLE_H

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ptx/ptxas_report.h"
#include "runtime/toolkit/toolkit.h"

namespace tegula {

struct AssembleOptions {
  std::string arch = "sm_90a";
  ToolkitOptions toolkit = {};
  /// False: don't look for ptxas; the result is PTX alone.
  bool use_ptxas = true;
};

struct Assembled {
  std::vector<std::byte> cubin;     ///< empty: PTX alone, and `note` says why
  std::vector<EntryReport> reports; ///< one for each entry point; none for PTX alone
  std::optional<Tool> assembler;    ///< the ptxas that was run
  std::string note;                 ///< "no cubin: …" for PTX alone
  std::string log;                  ///< what ptxas printed

  [[nodiscard]] bool ptx_only() const { return cubin.empty(); }
  /// The report of one entry point; an empty one where there is none.
  [[nodiscard]] ResourceReport resources(std::string_view entry) const;
  /// For the manifest and the cache's key: "ptxas 13.0 V13.0.88" or "driver".
  [[nodiscard]] std::string assembler_name() const;
};

/// Runs `ptxas -v` on the text. A spill or a serialised wgmma is no error here: see faults_of.
/// \errors unsupported: the kernel needs more registers or shared memory than its launch bounds leave, in ptxas's words;
///         internal: ptxas refuses the PTX, with its words and the lines that it points at; io_error.
[[nodiscard]] Result<Assembled> assemble(std::string_view ptx, const AssembleOptions &options = {});

} // namespace tegula

#endif // TEGULA_COMPILER_PTX_ASSEMBLE_H
