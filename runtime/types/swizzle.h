// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The patterns in which TMA, wgmma and tcgen05 permute 16-byte chunks of shared memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tegula {

/// Named for the bytes of a row that are permuted among themselves.
enum class Swizzle : uint8_t { none, b32, b64, b128 };

/// 0, 32, 64 or 128.
[[nodiscard]] constexpr int span_bytes(Swizzle swizzle) {
  return swizzle == Swizzle::none ? 0 : 16 << static_cast<int>(swizzle);
}

[[nodiscard]] constexpr std::string_view name(Swizzle swizzle) {
  switch (swizzle) {
  case Swizzle::none: return "none";
  case Swizzle::b32: return "b32";
  case Swizzle::b64: return "b64";
  case Swizzle::b128: return "b128";
  }
  return "unknown";
}

[[nodiscard]] constexpr std::optional<Swizzle> parse_swizzle(std::string_view text) {
  for (Swizzle swizzle : {Swizzle::none, Swizzle::b32, Swizzle::b64, Swizzle::b128})
    if (name(swizzle) == text)
      return swizzle;
  return std::nullopt;
}

} // namespace tegula
