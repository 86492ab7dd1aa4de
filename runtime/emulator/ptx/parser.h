// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parser's own header: a cursor over tokens with the pieces that declarations and instructions share.
#pragma once

#include "runtime/emulator/ptx/ast.h"
#include "runtime/emulator/ptx/lexer.h"

namespace tegula::emulator::ptx {

inline constexpr int kMultiplicative = 10; // precedence of * / %

struct SyntaxError {
  uint32_t line;
  std::string message;
};

class Parser {
public:
  Parser(Module &module, std::vector<Token> tokens) : module_(module), tokens_(std::move(tokens)) {}
  void module(); // throws SyntaxError

private:
  // cursor
  const Token &peek(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  const Token &next() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
  bool accept(char c);
  bool accept(std::string_view word);
  void expect(char c);
  std::string_view word(const char *what);
  uint64_t integer(const char *what);
  [[noreturn]] void fail(const std::string &message) const;

  // declarations (parser.cpp)
  void directive();
  void skip_section();
  void file_directive();
  void function(bool is_entry, bool is_extern);
  void parameters(std::vector<Variable> &into);
  void performance_directives(Function &f);
  void dimensions(uint32_t (&into)[3]);
  Variable variable_prefix(Space space);
  void variable_name(Variable &v);
  void initializer(Variable &v);
  void initializer_list(Variable &v, int depth);

  // bodies (parser_body.cpp)
  void body(Function &f);
  void body_directive(Function &f);
  void declare(Function &f, Space space);
  void location(Function &f);
  void call_prototype(Function &f, std::string_view name);
  void branch_targets(Function &f, std::string_view name);
  void instruction(Function &f);
  Operand operand(int depth);
  void offset(Operand &o, int depth); // "+8" behind a name
  Operand address(int depth);
  Operand vector(char close, int depth);
  /// A constant expression (PTX ISA, "Constant Expressions"): 64 bits, unsigned once an operand is.
  struct Constant {
    uint64_t bits = 0;
    bool is_unsigned = false;
  };
  int64_t expression(int depth) { return static_cast<int64_t>(conditional(depth).bits); }
  Constant conditional(int depth);
  Constant binary(int least, int depth);
  Constant unary(int depth);
  Constant cast(int depth);
  Constant apply(unsigned op, Constant a, Constant b) const;
  int binary_operator() const;
  void push(Function &f, StatementKind kind, uint32_t index, std::string_view name = {});

  Module &module_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
};

} // namespace tegula::emulator::ptx
