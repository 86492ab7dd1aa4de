// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The main of every Catch2 test program that has none of its own.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
