// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Function bodies of the PTX grammar: blocks, declarations, instructions and their operands.
#include "runtime/emulator/ptx/parser.h"

namespace tegula::emulator::ptx {

void Parser::push(Function &f, StatementKind kind, uint32_t index, std::string_view name) {
  Statement s;
  s.kind = kind;
  s.line = peek().line;
  s.index = index;
  s.name = name;
  f.body.push_back(s);
}

void Parser::body(Function &f) {
  int depth = 1;
  while (depth > 0) {
    const Token &t = peek();
    if (t.kind == TokenKind::end)
      fail("a function's body is not closed");
    if (t.is('{')) {
      if (++depth > 256)
        fail("blocks nested too deeply");
      push(f, StatementKind::open, 0);
      next();
    } else if (t.is('}')) {
      if (--depth > 0)
        push(f, StatementKind::close, 0);
      next();
    } else if (t.is(';')) {
      next();
    } else if (t.kind == TokenKind::dotword) {
      body_directive(f);
    } else if (t.kind == TokenKind::word && peek(1).is(':')) {
      std::string_view name = t.text;
      at_ += 2;
      if (accept(".callprototype"))
        call_prototype(f, name);
      else if (accept(".branchtargets") || accept(".calltargets"))
        branch_targets(f, name);
      else
        push(f, StatementKind::label, 0, name);
    } else {
      instruction(f);
    }
  }
}

void Parser::body_directive(Function &f) {
  std::string_view d = peek().text;
  if (d == ".loc") {
    next();
    return location(f);
  }
  if (d == ".pragma") {
    next();
    while (peek().kind == TokenKind::string || peek().is(','))
      next();
    return expect(';');
  }
  if (d == ".extern") {
    next();
    d = peek().text;
  }
  next();
  if (d == ".reg")
    return declare(f, Space::reg);
  if (d == ".shared" || d == ".shared::cta")
    return declare(f, Space::shared);
  if (d == ".local")
    return declare(f, Space::local);
  if (d == ".param")
    return declare(f, Space::param);
  if (d == ".global")
    return declare(f, Space::global);
  if (d == ".const")
    return declare(f, Space::constant);
  --at_;
  fail("unknown directive in a function");
}

void Parser::declare(Function &f, Space space) {
  Variable prefix = variable_prefix(space);
  do {
    Variable v = prefix;
    variable_name(v);
    push(f, StatementKind::variable, static_cast<uint32_t>(f.variables.size()), v.name);
    f.variables.push_back(std::move(v));
  } while (accept(','));
  expect(';');
}

void Parser::location(Function &f) {
  push(f, StatementKind::location, 0);
  Statement &s = f.body.back();
  s.file = static_cast<uint32_t>(integer("a file's index"));
  s.source_line = static_cast<uint32_t>(integer("a line"));
  (void)integer("a column");
  // What follows (", function_name label, inlined_at file line column") only matters to debuggers.
  while (accept(',')) {
    while ((peek().kind == TokenKind::word && !peek(1).is(':') && peek(-1).line == peek().line) || peek().is('+') ||
           peek().kind == TokenKind::integer)
      next();
  }
}

void Parser::call_prototype(Function &f, std::string_view name) {
  push(f, StatementKind::prototype, 0, name);
  while (!accept(';'))
    if (next().kind == TokenKind::end)
      fail("unterminated .callprototype");
}

void Parser::branch_targets(Function &f, std::string_view name) {
  push(f, StatementKind::targets, static_cast<uint32_t>(f.target_lists.size()), name);
  auto &list = f.target_lists.emplace_back();
  do {
    list.push_back(word("a label"));
  } while (accept(','));
  expect(';');
}

void Parser::instruction(Function &f) {
  Instruction i;
  uint32_t line = peek().line;
  if (accept('@')) {
    i.predicate_negated = accept('!');
    i.predicate = word("a predicate");
  }
  i.opcode = word("an instruction");
  while (peek().kind == TokenKind::dotword)
    i.modifiers.push_back(next().text);
  if (!peek().is(';')) {
    do {
      i.operands.push_back(operand(0));
    } while (accept(','));
  }
  push(f, StatementKind::instruction, static_cast<uint32_t>(f.instructions.size()));
  f.body.back().line = line;
  expect(';');
  f.instructions.push_back(std::move(i));
}

Operand Parser::operand(int depth) {
  if (depth > 4)
    fail("operands nested too deeply");
  Operand o;
  const Token &t = peek();
  if (t.is('{'))
    return vector('}', depth);
  if (t.is('['))
    return address(depth);
  if (t.is('('))
    if (!(peek(1).kind == TokenKind::integer || peek(1).is('-') || peek(1).is('+') || peek(1).is('~') ||
          peek(1).is('!') || peek(1).is('(')))
      return vector(')', depth);
  if (t.is('!')) {
    next();
    o = operand(depth + 1);
    o.negated = !o.negated;
    return o;
  }
  if (t.kind == TokenKind::real32 || t.kind == TokenKind::real64) {
    o.kind = t.kind == TokenKind::real32 ? OperandKind::real32 : OperandKind::real64;
    o.value = next().value;
    return o;
  }
  if (t.is('-') && (peek(1).kind == TokenKind::real32 || peek(1).kind == TokenKind::real64)) {
    next();
    o = operand(depth + 1);
    o.value ^= o.kind == OperandKind::real32 ? uint64_t{1} << 31 : uint64_t{1} << 63;
    return o;
  }
  if (t.kind != TokenKind::word) {
    o.kind = OperandKind::integer;
    o.value = static_cast<uint64_t>(expression(depth));
    return o;
  }
  next();
  if (t.text == "_" && !(peek().is('|'))) // "_|p" drops the first result
    return o;
  o.kind = OperandKind::name;
  o.name = t.text;
  if (t.text == "generic" && accept('(')) { // generic(variable) in an initialiser
    o = operand(depth + 1);
    expect(')');
    offset(o, depth);
    return o;
  }
  if (peek().kind == TokenKind::dotword && !peek().spaced) { // %tid.x
    const Token &part = next();
    o.name = std::string_view(t.text.data(), t.text.size() + part.text.size());
  }
  if (accept('|')) {
    if (o.name == "_")
      o.kind = OperandKind::sink;
    o.second = word("the second result");
  } else {
    offset(o, depth);
  }
  return o;
}

void Parser::offset(Operand &o, int depth) {
  while (peek().is('+') || peek().is('-')) {
    bool add = next().is('+');
    uint64_t by = binary(kMultiplicative, depth + 1).bits;
    o.value += add ? by : -by;
  }
}

Operand Parser::address(int depth) {
  expect('[');
  Operand o;
  o.kind = OperandKind::address;
  o.parts.push_back(operand(depth + 1));
  o.value = o.parts[0].kind == OperandKind::name ? o.parts[0].value : 0;
  while (accept(','))
    o.parts.push_back(operand(depth + 1));
  expect(']');
  return o;
}

Operand Parser::vector(char close, int depth) {
  next();
  Operand o;
  o.kind = OperandKind::vector;
  while (!accept(close)) {
    o.parts.push_back(operand(depth + 1));
    if (!peek().is(close))
      expect(',');
  }
  return o;
}

} // namespace tegula::emulator::ptx
