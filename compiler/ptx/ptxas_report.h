// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads what `ptxas -v` prints: registers, spills, stack, shared memory, and the remarks C75xx that say that wgmma was
// serialised or setmaxnreg ignored.
#ifndef TEGULA_COMPILER_PTX_PTXAS_REPORT_H
#define TEGULA_COMPILER_PTX_PTXAS_REPORT_H

#include <string>
#include <string_view>
#include <vector>

#include "runtime/launch/manifest.h"

namespace tegula {

struct EntryReport {
  std::string entry;
  ResourceReport resources;
};

/// One report for each entry point, in the order of the log. A remark that names a function goes to that one, any other
/// to all. Remarks read "C7511: wgmma.mma_async instructions are serialized due to …"; warnings stand among them.
[[nodiscard]] std::vector<EntryReport> parse_ptxas_report(std::string_view log);

/// What in a report no shipped kernel may have, in words: spills, a stack frame, a serialised wgmma, an ignored
/// setmaxnreg. Empty when there is nothing of the sort.
[[nodiscard]] std::vector<std::string> faults_of(const ResourceReport &report);

} // namespace tegula

#endif // TEGULA_COMPILER_PTX_PTXAS_REPORT_H
