// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Freivalds' check: D·x against A·(B·x) for random signs x, which costs as much as reading the operands.
#pragma once

#include <string>

#include "kernels/gemm/check/gemm_reference.h"

namespace tegula {

/// "" if every row of product `batch` agrees; else which row doesn't. With an activation, which isn't linear, it only
/// looks for elements that were never written (NaN).
[[nodiscard]] std::string check_combination(const GemmCase &test, const GemmImages &images, int64_t batch,
                                            Random &random);

} // namespace tegula
