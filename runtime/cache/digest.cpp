// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Digests by xxHash, compiled in: a program that ships the runtime needs no libxxhash.
#include "runtime/cache/digest.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tegula {
namespace {

void append_hex(std::string &out, uint64_t word) {
  constexpr char kDigits[] = "0123456789abcdef";
  for (int shift = 60; shift >= 0; shift -= 4)
    out += kDigits[word >> shift & 15];
}

std::optional<uint64_t> parse_hex(std::string_view digits) {
  uint64_t word = 0;
  for (char digit : digits) {
    if (digit >= '0' && digit <= '9')
      word = word << 4 | static_cast<uint64_t>(digit - '0');
    else if (digit >= 'a' && digit <= 'f')
      word = word << 4 | static_cast<uint64_t>(digit - 'a' + 10);
    else
      return std::nullopt;
  }
  return word;
}

} // namespace

Digest digest_of(std::string_view bytes) {
  XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.high64, hash.low64};
}

std::string hex(const Digest &digest) {
  std::string text;
  text.reserve(32);
  append_hex(text, digest.high);
  append_hex(text, digest.low);
  return text;
}

std::optional<Digest> parse_digest(std::string_view text) {
  if (text.size() != 32)
    return std::nullopt;
  std::optional<uint64_t> high = parse_hex(text.substr(0, 16)), low = parse_hex(text.substr(16));
  if (!high || !low)
    return std::nullopt;
  return Digest{*high, *low};
}

} // namespace tegula
