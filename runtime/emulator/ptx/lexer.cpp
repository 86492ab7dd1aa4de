// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lexer: one pass over the text, no allocation but the token list.
#include "runtime/emulator/ptx/lexer.h"

#include <bit>
#include <cstdlib>
#include <string>

namespace tegula::emulator::ptx {
namespace {

bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_alpha(c) || is_digit(c); }
int hex_digit(char c) {
  if (is_digit(c))
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

class Lexer {
public:
  explicit Lexer(std::string_view text) : text_(text) {}

  TokenList run() {
    TokenList out;
    out.tokens.reserve(text_.size() / 4 + 16);
    for (;;) {
      bool spaced = skip_space();
      Token token;
      token.line = line_;
      token.spaced = spaced;
      if (at_ >= text_.size()) {
        out.tokens.push_back(token);
        return out;
      }
      size_t begin = at_;
      if (!scan(token)) {
        out.bad_line = line_;
        token.kind = TokenKind::end;
        out.tokens.push_back(token);
        return out;
      }
      token.text = text_.substr(begin, at_ - begin);
      out.tokens.push_back(token);
    }
  }

private:
  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  bool skip_space() {
    size_t begin = at_;
    while (at_ < text_.size()) {
      char c = text_[at_];
      if (c == '\n') {
        ++line_;
        ++at_;
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' || c == '\0') {
        ++at_;
      } else if (c == '/' && peek(1) == '/') {
        while (at_ < text_.size() && text_[at_] != '\n')
          ++at_;
      } else if (c == '/' && peek(1) == '*') {
        at_ += 2;
        while (at_ < text_.size() && !(text_[at_] == '*' && peek(1) == '/'))
          line_ += text_[at_++] == '\n';
        at_ = at_ + 2 < text_.size() ? at_ + 2 : text_.size();
      } else {
        break;
      }
    }
    return at_ != begin;
  }

  bool scan(Token &token) {
    char c = peek();
    if (is_digit(c))
      return number(token);
    if (is_alpha(c) && (c != '%' || is_word(peek(1)))) { // else the operator %
      token.kind = TokenKind::word;
      ++at_;
      while (is_word(peek()))
        ++at_;
      return true;
    }
    if (c == '.' && is_word(peek(1)))
      return dotword(token);
    if (c == '"')
      return string(token);
    if (static_cast<unsigned char>(c) < 33 || static_cast<unsigned char>(c) > 126)
      return false;
    token.kind = TokenKind::punct;
    ++at_;
    return true;
  }

  bool dotword(Token &token) {
    token.kind = TokenKind::dotword;
    ++at_;
    while (is_word(peek()) || (peek() == ':' && peek(1) == ':' && is_word(peek(2))))
      at_ += peek() == ':' ? 2 : 1;
    return true;
  }

  bool string(Token &token) {
    token.kind = TokenKind::string;
    ++at_;
    while (at_ < text_.size() && text_[at_] != '"') {
      line_ += text_[at_] == '\n';
      at_ += text_[at_] == '\\' && at_ + 1 < text_.size() ? 2 : 1;
    }
    if (at_ >= text_.size())
      return false;
    ++at_;
    return true;
  }

  bool number(Token &token) {
    token.kind = TokenKind::integer;
    char second = peek(1);
    if (peek() == '0' && (second == 'f' || second == 'F'))
      return real_bits(token, TokenKind::real32, 8);
    if (peek() == '0' && (second == 'd' || second == 'D'))
      return real_bits(token, TokenKind::real64, 16);
    unsigned base = 10;
    if (peek() == '0' && (second == 'x' || second == 'X')) {
      base = 16;
      at_ += 2;
    } else if (peek() == '0' && (second == 'b' || second == 'B')) {
      base = 2;
      at_ += 2;
    } else if (peek() == '0' && is_digit(second)) {
      base = 8;
    }
    size_t begin = at_;
    bool too_large = false; // 64 bits are all that an integer has
    for (int d = hex_digit(peek()); d >= 0 && d < static_cast<int>(base); d = hex_digit(peek())) {
      too_large |= __builtin_mul_overflow(token.value, uint64_t{base}, &token.value);
      too_large |= __builtin_add_overflow(token.value, static_cast<uint64_t>(d), &token.value);
      ++at_;
    }
    if (base == 10 && (peek() == '.' || peek() == 'e' || peek() == 'E') && (is_digit(peek(1)) || peek(1) == '-'))
      return fraction(token, begin);
    if (peek() == 'U' || peek() == 'u') {
      token.is_unsigned = true;
      ++at_;
    }
    return !too_large;
  }

  bool real_bits(Token &token, TokenKind kind, int digits) {
    token.kind = kind;
    at_ += 2;
    for (int i = 0; i < digits; ++i, ++at_) {
      int d = hex_digit(peek());
      if (d < 0)
        return false;
      token.value = token.value << 4 | static_cast<uint64_t>(d);
    }
    return true;
  }

  bool fraction(Token &token, size_t begin) {
    token.kind = TokenKind::real64;
    while (is_digit(peek()) || peek() == '.' || peek() == 'e' || peek() == 'E' ||
           ((peek() == '-' || peek() == '+') && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E')))
      ++at_;
    token.value = std::bit_cast<uint64_t>(std::strtod(std::string(text_.substr(begin, at_ - begin)).c_str(), nullptr));
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
  uint32_t line_ = 1;
};

} // namespace

TokenList tokenize(std::string_view text) { return Lexer(text).run(); }

} // namespace tegula::emulator::ptx
