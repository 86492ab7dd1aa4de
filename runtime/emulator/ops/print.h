// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// printf of kernels.
#pragma once

#include <cstdint>
#include <string_view>

namespace tegula::emulator {

class Warp;

/// Prints one thread's line on stdout. \param arguments  generic address of the packed values. \returns their number.
int print(Warp &w, std::string_view format, uint64_t arguments, unsigned lane);

} // namespace tegula::emulator
