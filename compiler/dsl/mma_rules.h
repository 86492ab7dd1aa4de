// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tensor cores of a target take: dtypes, sizes, who issues. Knows no IR.
#pragma once

#include <string>
#include <vector>

#include "compiler/dsl/kernel_builder.h"

namespace tegula::dsl {

struct MmaQuestion {
  Target target;
  DType a, b, sum;
  Shape a_shape, b_shape, sum_shape; ///< a [m, k], b [k, n], sum [m, n]
  bool a_in_registers = false;
  bool a_transposed = false; ///< m runs along memory's rows instead of k
  bool b_transposed = false; ///< b is the transpose of an [n, k] tile: k is contiguous
  int64_t warps = 4;         ///< of one instance of the role
};

/// Everything that is wrong with the product, each naming value, limit and way out. Empty: it can be done.
[[nodiscard]] std::vector<std::string> mma_faults(const MmaQuestion &question);

} // namespace tegula::dsl
