// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an index is known to be a multiple of.

#ifndef TEGULA_DIALECTS_WARPTONV_INDEXDIVISOR_H
#define TEGULA_DIALECTS_WARPTONV_INDEXDIVISOR_H

#include "mlir/IR/Value.h"

namespace tegula {

/// The largest number found to divide `value` in every run: constants, products, sums, and extents with a promise. 0
/// stands for "divisible by all", the constant 0. At least 1 otherwise.
int64_t divisorOf(mlir::Value value);

} // namespace tegula

#endif // TEGULA_DIALECTS_WARPTONV_INDEXDIVISOR_H
