// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that the system provides to kernels: vprintf, malloc, free, __assertfail.
#pragma once

#include <string_view>

namespace tegula::emulator {

[[nodiscard]] bool is_builtin(std::string_view function);

} // namespace tegula::emulator
