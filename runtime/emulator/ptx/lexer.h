// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cuts PTX text into tokens. A token is a view into the text, so the text must outlive it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tegula::emulator::ptx {

enum class TokenKind : uint8_t {
  word,    // ld, %r1, $L__BB0_1, _
  dotword, // .global, .v4, .shared::cluster (with its dot)
  integer, // value holds the bits
  real32,  // 0fXXXXXXXX, value holds the 32 bits
  real64,  // 0dX… or a decimal fraction, value holds the 64 bits
  string,  // with its quotes
  punct,   // one character, but "<<", ">>", "==", … are two tokens
  end
};

struct Token {
  TokenKind kind = TokenKind::end;
  bool spaced = false; // white space or a comment stands before it
  bool is_unsigned = false;
  uint32_t line = 0;
  uint64_t value = 0;
  std::string_view text;

  [[nodiscard]] bool is(char c) const { return kind == TokenKind::punct && text[0] == c; }
  [[nodiscard]] bool is(std::string_view s) const {
    return (kind == TokenKind::word || kind == TokenKind::dotword) && text == s;
  }
};

/// Tokens of the whole text, the last of kind `end`. On a character that PTX does not have, `bad_line` is its line
/// (otherwise 0) and the tokens stop there.
struct TokenList {
  std::vector<Token> tokens;
  uint32_t bad_line = 0;
};
[[nodiscard]] TokenList tokenize(std::string_view text);

} // namespace tegula::emulator::ptx
