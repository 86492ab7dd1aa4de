// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds a lane handler by name.
#pragma once

#include "runtime/emulator/lanes/lanes.h"

#include <string_view>

namespace tegula::emulator {

/// Null if there is none.
[[nodiscard]] Handler find_lane(std::string_view name);
[[nodiscard]] ProductF32 matrix_product();

} // namespace tegula::emulator
