// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Making tiles and combining them across elements: constants, index tiles, products, reductions, broadcasts.
#pragma once

#include "compiler/dsl/memory.h"
#include "compiler/dsl/values.h"

namespace tegula::dsl {

[[nodiscard]] Tile zeros(DType dtype, const Shape &shape, Where where = Where::current());
[[nodiscard]] Tile full(DType dtype, const Shape &shape, double value, Where where = Where::current());
[[nodiscard]] Tile full(const Shape &shape, const Scalar &value, Where where = Where::current());

/// Every element is its own coordinate along `dim`; s32 or s64. `iota(s32, {64, 128}, 1) + j * 128 < N` is a mask.
[[nodiscard]] Tile iota(DType dtype, const Shape &shape, int dim, Where where = Where::current());

/// a . b + acc on the tensor cores; a [m, k], b [k, n], acc [m, n]. `a` is in shared memory or registers, `b` in shared
/// memory. Returns at once. fp16 x fp16 sums in fp16 or f32; bf16, tf32 and fp8 in f32; s8 in s32. For one role
/// instance of w warpgroups: m is a multiple of 64 w, n of 8 and at most 256, k of 32 bytes; fp8, s8 and tf32 want k
/// contiguous, that is, `b` is the transpose of an [n, k] tile.
[[nodiscard]] Tile mma(const View &a, const View &b, const Tile &acc, Where where = Where::current());
[[nodiscard]] Tile mma(const Tile &a, const View &b, const Tile &acc, Where where = Where::current());

/// Combines along `dim`, which disappears. The order of a sum is fixed; NaN wins in max and min.
[[nodiscard]] Tile reduce_sum(const Tile &tile, int dim, Where where = Where::current());
[[nodiscard]] Tile reduce_max(const Tile &tile, int dim, Where where = Where::current());
[[nodiscard]] Tile reduce_min(const Tile &tile, int dim, Where where = Where::current());

/// Repeats along a new dim `dim` of that extent. (Against a matrix a vector needs no broadcast: see elementwise.h.)
[[nodiscard]] Tile broadcast(const Tile &tile, int dim, int64_t extent, Where where = Where::current());

} // namespace tegula::dsl
