// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a launch must satisfy beyond having its arguments: extents, addresses, strides, limits, the grid.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/driver/context.h"
#include "runtime/launch/resolved_manifest.h"
#include "runtime/launch/tensor_map.h"
#include "runtime/result/complaints.h"

namespace tegula {

/// Checks all dims, and all globals that `given` has. Each complaint names argument, value and limit.
void check_numbers(const ResolvedManifest &resolved, std::span<const int64_t> numbers,
                   std::span<const unsigned char> given, Complaints &wrong);

/// Base alone, for launches where nothing else changed: null and alignment.
void check_base(const ResolvedManifest &resolved, size_t global, std::span<const int64_t> numbers, Complaints &wrong);

/// Asks the driver where the tensor lies: refused on the host (pageable memory) and on another device.
void check_residence(const ContextState &context, std::string_view name, DevicePtr base, Complaints &wrong);

/// What tensor map `index` says for these numbers. Meaningless where the global is empty.
[[nodiscard]] TensorMapSpec tensor_map_spec(const ResolvedManifest &resolved, size_t index,
                                            std::span<const int64_t> numbers);

/// Blocks of a launch: 0 when a factor is 0. Complains beyond 2^31 - 1.
[[nodiscard]] int64_t grid_blocks(const ResolvedManifest &resolved, std::span<const int64_t> numbers,
                                  int multiprocessors, Complaints &wrong);

} // namespace tegula
