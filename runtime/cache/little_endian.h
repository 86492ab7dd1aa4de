// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers in the cache's files: little-endian wherever the file was written.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tegula {

template <typename Word> void append_number(std::string &out, Word number) {
  for (size_t i = 0; i < sizeof(Word); ++i)
    out += static_cast<char>(number >> 8 * i & 0xff);
}

/// Reads the number at `bytes[at]`; the caller has checked that it is there.
template <typename Word> Word number_at(std::string_view bytes, size_t at) {
  Word number = 0;
  for (size_t i = 0; i < sizeof(Word); ++i)
    number |= static_cast<Word>(static_cast<unsigned char>(bytes[at + i])) << 8 * i;
  return number;
}

} // namespace tegula
