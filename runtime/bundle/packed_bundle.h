// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The frame of a packed bundle: magic, length of the index (8 bytes, little-endian), the index, then the images.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/result/result.h"

namespace tegula {

struct PackedParts {
  std::string_view index;
  int64_t blobs_at = 0;
};

/// \errors bad_argument: no bundle, or cut short.
[[nodiscard]] Result<PackedParts> split_packed(std::string_view file);

[[nodiscard]] std::string join_packed(std::string_view index, std::string_view blobs);

} // namespace tegula
