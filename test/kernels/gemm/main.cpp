// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Catch2's main program.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
