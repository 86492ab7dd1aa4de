// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A small kernel for the JIT's tests: Y = alpha · X.
#pragma once

#include "compiler/dsl/kernel.h"
#include "runtime/result/result.h"

[[nodiscard]] tegula::Result<tegula::dsl::Kernel> build_scale();
