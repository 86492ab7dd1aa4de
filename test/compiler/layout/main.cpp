// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The test program's entry.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
