// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From arguments by name to the flat numbers of a launch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/launch/arguments.h"
#include "runtime/launch/resolved_manifest.h"
#include "runtime/result/complaints.h"

namespace tegula {

/// Fills `numbers` (of resolved.number_count) from `args`. Names are looked for in the manifest's order first, so a
/// caller that keeps it pays one comparison a name. Nothing is allocated unless there is something to complain about.
/// Complains about names that are unknown, given twice or missing; dtypes; ranks; extents that disagree; scalars that
/// don't fit. `given`, of the same size, tells afterwards what there was an argument for.
void gather(const ResolvedManifest &resolved, const KernelArgs &args, std::span<int64_t> numbers,
            std::span<unsigned char> given, Complaints &wrong);

} // namespace tegula
