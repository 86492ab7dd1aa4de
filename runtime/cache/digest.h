// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The 128-bit name of a thing by its content: keys of the kernel cache, checksums of its files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tegula {

/// XXH3-128 of some bytes, the same on every machine. Two different inputs meet by chance once in 2^64; it does not
/// resist somebody who looks for a collision. The cache needs no more: whoever can write into the folder could put any
/// kernel there anyway, and a hit is compared with the whole key before it is used.
struct Digest {
  uint64_t high = 0;
  uint64_t low = 0;

  friend bool operator==(const Digest &, const Digest &) = default;
};

[[nodiscard]] Digest digest_of(std::string_view bytes);

/// 32 lower-case hexadecimal digits, and back; nothing else is read back.
[[nodiscard]] std::string hex(const Digest &digest);
[[nodiscard]] std::optional<Digest> parse_digest(std::string_view text);

/// For std::unordered_map: the digest is already as mixed as a hash can be.
struct DigestHash {
  size_t operator()(const Digest &digest) const { return digest.low; }
};

} // namespace tegula
