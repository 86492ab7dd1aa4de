// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a tensor map shows a window, rows `first` to `first + count - 1` of a tensor, with bounds that a kernel chooses at
// run time though the map was encoded before.
//
// The windowed dim, of stride s elements, is encoded with the extent 2^30, and two dims are added behind the others, of
// the strides s and 2^34 - s. Row r of the window has the coordinates
//     windowed dim   2^30 - count + r    out of bounds for r >= count
//     first added    first + count       times s
//     second added   2^30                times 2^34 - s: 2^64 less 2^30 s, and addresses wrap at 2^64 bytes
// which sum up to s (first + r). Triton's ragged descriptors do the same on such hardware.
#pragma once

#include <cstdint>

namespace tegula {

constexpr int kWindowMapDims = 2;
constexpr int64_t kWindowRows = int64_t{1} << 30;        ///< the most rows that a windowed dim may have
constexpr int64_t kWindowAddedExtent = int64_t{1} << 31; ///< of both added dims: beyond their coordinates
constexpr int64_t kWindowStrideSum = int64_t{1} << 34;   ///< elements, of the two added dims together

} // namespace tegula
