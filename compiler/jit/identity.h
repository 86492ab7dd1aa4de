// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who compiles: this build of the compiler, and the assembler that would be used. Parts of the cache key, and cheap: no
// program is run and no file is read.
#pragma once

#include <string>
#include <string_view>

namespace tegula {

/// "0.1.0", of the project.
[[nodiscard]] std::string_view compiler_version();

/// "tegula 0.1.0, LLVM 22.1.8, build 5c3f...": changes whenever the compiler's code does. The build is the linker's
/// build id of the file that this code was loaded from, or that file's size and time where it has none.
[[nodiscard]] const std::string &compiler_identity();

/// Every ptxas that would be tried, with size and time of its file; "driver" where there is none.
/// \param ptxas  JitOptions::ptxas.
[[nodiscard]] std::string assembler_identity(std::string_view ptxas);

} // namespace tegula
