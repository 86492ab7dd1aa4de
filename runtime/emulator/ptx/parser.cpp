// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Module level of the PTX grammar: directives, functions' heads, variables with initialisers.
#include "runtime/emulator/ptx/parser.h"

namespace tegula::emulator::ptx {

void Parser::fail(const std::string &message) const {
  std::string near = peek().kind == TokenKind::end ? "the end" : "'" + std::string(peek().text.substr(0, 40)) + "'";
  throw SyntaxError{peek().line, message + ", near " + near};
}

bool Parser::accept(char c) {
  if (!peek().is(c))
    return false;
  next();
  return true;
}

bool Parser::accept(std::string_view w) {
  if (!peek().is(w))
    return false;
  next();
  return true;
}

void Parser::expect(char c) {
  if (!accept(c))
    fail(std::string("expected '") + c + "'");
}

std::string_view Parser::word(const char *what) {
  if (peek().kind != TokenKind::word)
    fail(std::string("expected ") + what);
  return next().text;
}

uint64_t Parser::integer(const char *what) {
  if (peek().kind != TokenKind::integer)
    fail(std::string("expected ") + what);
  return next().value;
}

void Parser::module() {
  while (peek().kind != TokenKind::end)
    directive();
}

namespace {
bool is_linkage(const Token &t) {
  return t.is(".visible") || t.is(".extern") || t.is(".weak") || t.is(".common") || t.is(".managed");
}
Space space_of(std::string_view word) {
  if (word == ".global")
    return Space::global;
  if (word == ".shared" || word == ".shared::cta")
    return Space::shared;
  if (word == ".local")
    return Space::local;
  if (word == ".const")
    return Space::constant;
  return word == ".param" ? Space::param : Space::generic;
}
} // namespace

void Parser::directive() {
  if (accept(".version")) {
    // "9.0" reads as a fraction, "8" as an integer.
    const Token &t = next();
    auto digits = t.text;
    module_.version_major = static_cast<unsigned>(digits.empty() ? 0 : digits[0] - '0');
    size_t dot = digits.find('.');
    if (dot != std::string_view::npos && dot + 1 < digits.size())
      module_.version_minor = static_cast<unsigned>(digits[dot + 1] - '0');
    return;
  }
  if (accept(".target")) {
    module_.target = word("an architecture after .target");
    while (accept(','))
      next();
    return;
  }
  if (accept(".address_size")) {
    module_.address_bits = static_cast<unsigned>(integer("32 or 64"));
    if (module_.address_bits != 64)
      fail("only .address_size 64 is emulated");
    return;
  }
  if (accept(".file"))
    return file_directive();
  if (accept(".section"))
    return skip_section();
  if (accept(".pragma")) {
    while (peek().kind == TokenKind::string || peek().is(','))
      next();
    return expect(';');
  }
  if (accept(';'))
    return;
  bool is_extern = false, is_visible = false;
  while (is_linkage(peek())) {
    is_extern |= peek().is(".extern");
    is_visible |= !peek().is(".extern");
    next();
  }
  if (accept(".entry"))
    return function(true, is_extern);
  if (accept(".func"))
    return function(false, is_extern);
  Space space = space_of(peek().text);
  if (space == Space::generic || space == Space::param)
    fail("expected a directive, a function or a variable");
  next();
  Variable prefix = variable_prefix(space);
  prefix.is_extern = is_extern;
  prefix.is_visible = is_visible;
  do {
    Variable v = prefix;
    variable_name(v);
    module_.variables.push_back(std::move(v));
  } while (accept(','));
  expect(';');
}

void Parser::skip_section() {
  while (!peek().is('{'))
    if (next().kind == TokenKind::end)
      fail("unterminated .section");
  int depth = 0;
  do {
    if (peek().kind == TokenKind::end)
      fail("unterminated .section");
    depth += peek().is('{') ? 1 : peek().is('}') ? -1 : 0;
    next();
  } while (depth > 0);
}

void Parser::file_directive() {
  auto index = static_cast<uint32_t>(integer("a file's index"));
  if (peek().kind != TokenKind::string)
    fail("expected a file's name");
  std::string_view path = next().text;
  module_.files.push_back({index, path.substr(1, path.size() - 2)});
  while (accept(',')) // time stamp and size
    next();
}

Variable Parser::variable_prefix(Space space) {
  Variable v;
  v.space = space;
  v.line = peek().line;
  while (peek().kind == TokenKind::dotword) {
    std::string_view m = next().text;
    if (m == ".align")
      v.align = static_cast<uint32_t>(integer("an alignment"));
    else if (m == ".v2")
      v.vector = 2;
    else if (m == ".v4")
      v.vector = 4;
    else if (Type t = type_of(m); t != Type::none)
      v.type = t;
    else if (m != ".ptr" && space_of(m) == Space::generic)
      fail("unknown word '" + std::string(m) + "' in a declaration");
  }
  if (v.align & (v.align - 1) || v.align > (1u << 20))
    fail("an alignment must be a power of 2");
  if (v.type == Type::none)
    fail("expected a type");
  return v;
}

void Parser::variable_name(Variable &v) {
  v.name = word("a name");
  if (accept('<')) {
    v.range = static_cast<int64_t>(integer("the number of registers"));
    if (v.range > 1'000'000)
      fail("more than a million registers in one range");
    expect('>');
  }
  while (accept('[')) {
    v.is_array = true;
    int64_t extent = peek().is(']') ? 0 : expression(0);
    if (extent < 0 || (extent && v.elements > (int64_t{1} << 40) / extent))
      fail("array too large");
    v.elements *= extent;
    expect(']');
  }
  if (accept('='))
    initializer(v);
}

void Parser::initializer(Variable &v) {
  if (peek().is('{'))
    initializer_list(v, 0);
  else
    v.initial.push_back(operand(0));
  if (v.is_array && v.elements == 0)
    v.elements = static_cast<int64_t>(v.initial.size());
}

void Parser::initializer_list(Variable &v, int depth) {
  if (depth > 8)
    fail("initialiser nested too deeply");
  expect('{');
  while (!accept('}')) {
    if (peek().is('{'))
      initializer_list(v, depth + 1);
    else
      v.initial.push_back(operand(0));
    if (!peek().is('}'))
      expect(',');
  }
}

void Parser::dimensions(uint32_t (&into)[3]) {
  for (unsigned i = 0; i < 3; ++i) {
    into[i] = static_cast<uint32_t>(integer("an extent"));
    if (!accept(','))
      break;
  }
  for (unsigned i = 0; i < 3; ++i)
    into[i] = into[i] ? into[i] : 1;
}

void Parser::performance_directives(Function &f) {
  while (peek().kind == TokenKind::dotword) {
    std::string_view d = next().text;
    if (d == ".maxntid")
      dimensions(f.maxntid);
    else if (d == ".reqntid")
      dimensions(f.reqntid);
    else if (d == ".reqnctapercluster")
      dimensions(f.cluster);
    else if (d == ".explicitcluster")
      f.explicit_cluster = true;
    else if (d == ".minnctapersm" || d == ".maxnctapersm")
      f.min_ctas = static_cast<uint32_t>(integer("a count"));
    else if (d == ".maxnreg")
      f.max_registers = static_cast<uint32_t>(integer("a count"));
    else if (d == ".maxclusterrank")
      (void)integer("a count");
    else if (d == ".noreturn" || d == ".blocksareclusters")
      continue;
    else if (d == ".pragma") {
      while (peek().kind == TokenKind::string || peek().is(','))
        next();
      expect(';');
    } else
      fail("unknown directive '" + std::string(d) + "' before a function's body");
  }
}

void Parser::parameters(std::vector<Variable> &into) {
  expect('(');
  while (!accept(')')) {
    Space space = accept(".reg") ? Space::reg : Space::param;
    if (space == Space::param && !accept(".param"))
      fail("expected .param");
    Variable v = variable_prefix(space);
    if (peek().kind == TokenKind::word)
      variable_name(v);
    into.push_back(std::move(v));
    if (!peek().is(')'))
      expect(',');
  }
}

void Parser::function(bool is_entry, bool is_extern) {
  Function f;
  f.is_entry = is_entry;
  f.is_extern = is_extern;
  f.line = peek().line;
  if (!is_entry && peek().is('('))
    parameters(f.results);
  f.name = word("a function's name");
  if (peek().is('('))
    parameters(f.params);
  performance_directives(f);
  if (accept(';')) {
    module_.functions.push_back(std::move(f));
    return;
  }
  f.has_body = true;
  expect('{');
  body(f);
  module_.functions.push_back(std::move(f));
}

std::unique_ptr<Module> parse(std::string text, ParseError &error) {
  auto module = std::make_unique<Module>();
  module->text = std::move(text);
  TokenList list = tokenize(module->text);
  if (list.bad_line) {
    error = {list.bad_line, "a character or number that PTX does not have"};
    return nullptr;
  }
  try {
    Parser(*module, std::move(list.tokens)).module();
  } catch (const SyntaxError &e) {
    error = {e.line, e.message};
    return nullptr;
  }
  return module;
}

} // namespace tegula::emulator::ptx
