// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constant expressions: C's operators and precedence on 64-bit integers (PTX ISA, "Constant Expressions").
#include "runtime/emulator/ptx/parser.h"

#include <string_view>

namespace tegula::emulator::ptx {
namespace {

struct Operator {
  std::string_view text;
  int precedence;
};
// Longer ones first, so that "<<" is not taken for "<".
constexpr Operator kOperators[] = {{"||", 1},
                                   {"&&", 2},
                                   {"==", 6},
                                   {"!=", 6},
                                   {"<=", 7},
                                   {">=", 7},
                                   {"<<", 8},
                                   {">>", 8},
                                   {"|", 3},
                                   {"^", 4},
                                   {"&", 5},
                                   {"<", 7},
                                   {">", 7},
                                   {"+", 9},
                                   {"-", 9},
                                   {"*", kMultiplicative},
                                   {"/", kMultiplicative},
                                   {"%", kMultiplicative}};

int64_t as_signed(uint64_t v) { return static_cast<int64_t>(v); }

uint64_t divide(uint64_t a, uint64_t b, bool is_unsigned, bool remainder) {
  if (is_unsigned)
    return remainder ? a % b : a / b;
  if (as_signed(b) == -1) // the quotient of the least value does not fit
    return remainder ? 0 : -a;
  return static_cast<uint64_t>(remainder ? as_signed(a) % as_signed(b) : as_signed(a) / as_signed(b));
}

} // namespace

int Parser::binary_operator() const {
  for (int i = 0; i < static_cast<int>(std::size(kOperators)); ++i) {
    std::string_view text = kOperators[i].text;
    if (peek().is(text[0]) && (text.size() == 1 || (peek(1).is(text[1]) && !peek(1).spaced)))
      return i;
  }
  return -1;
}

Parser::Constant Parser::apply(unsigned op, Constant a, Constant b) const {
  bool u = a.is_unsigned || b.is_unsigned;
  std::string_view text = kOperators[op].text;
  auto truth = [](bool v) { return Constant{v, false}; };
  bool less = u ? a.bits < b.bits : as_signed(a.bits) < as_signed(b.bits);
  bool equal = a.bits == b.bits;
  switch (text[0]) {
  case '+': return {a.bits + b.bits, u};
  case '-': return {a.bits - b.bits, u};
  case '*': return {a.bits * b.bits, u};
  case '^': return {a.bits ^ b.bits, u};
  case '=': return truth(equal);
  case '!': return truth(!equal);
  case '|': return text.size() == 2 ? truth(a.bits || b.bits) : Constant{a.bits | b.bits, u};
  case '&': return text.size() == 2 ? truth(a.bits && b.bits) : Constant{a.bits & b.bits, u};
  case '<':
    if (text == "<<")
      return {b.bits < 64 ? a.bits << b.bits : 0, a.is_unsigned};
    return truth(less || (text == "<=" && equal));
  case '>':
    if (text == ">>") {
      uint64_t by = std::min<uint64_t>(b.bits, 63);
      return {!a.is_unsigned ? static_cast<uint64_t>(as_signed(a.bits) >> by)
              : b.bits < 64  ? a.bits >> by
                             : 0,
              a.is_unsigned};
    }
    return truth(text == ">" ? !less && !equal : !less);
  default:
    if (b.bits == 0)
      fail("division by zero in a constant");
    return {divide(a.bits, b.bits, u, text[0] == '%'), u};
  }
}

Parser::Constant Parser::conditional(int depth) {
  Constant c = binary(1, depth);
  if (!accept('?'))
    return c;
  Constant yes = conditional(depth + 1);
  expect(':');
  Constant no = conditional(depth + 1);
  return {c.bits ? yes.bits : no.bits, yes.is_unsigned || no.is_unsigned};
}

Parser::Constant Parser::binary(int least, int depth) {
  Constant a = unary(depth);
  for (;;) {
    int op = binary_operator();
    if (op < 0 || kOperators[op].precedence < least)
      return a;
    for (size_t i = 0; i < kOperators[op].text.size(); ++i)
      next();
    a = apply(static_cast<unsigned>(op), a, binary(kOperators[op].precedence + 1, depth + 1));
  }
}

Parser::Constant Parser::cast(int depth) {
  Type t = type_of(next().text);
  if (t != Type::s64 && t != Type::u64)
    fail("a constant is cast to .s64 or .u64 alone");
  expect(')');
  return {unary(depth + 1).bits, t == Type::u64};
}

Parser::Constant Parser::unary(int depth) {
  if (depth > 32)
    fail("expression nested too deeply");
  if (accept('-')) {
    Constant c = unary(depth + 1);
    return {-c.bits, c.is_unsigned};
  }
  if (accept('+'))
    return unary(depth + 1);
  if (accept('~')) {
    Constant c = unary(depth + 1);
    return {~c.bits, c.is_unsigned};
  }
  if (accept('!'))
    return {!unary(depth + 1).bits, false};
  if (accept('(')) {
    if (peek().kind == TokenKind::dotword)
      return cast(depth);
    Constant c = conditional(depth + 1);
    expect(')');
    return c;
  }
  // A literal that does not fit into 63 bits is unsigned.
  bool is_unsigned = peek().is_unsigned || (peek().kind == TokenKind::integer && peek().value >> 63);
  return {integer("a number, a register or a name"), is_unsigned};
}

} // namespace tegula::emulator::ptx
