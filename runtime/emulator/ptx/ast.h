// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A PTX module as written: nothing is resolved, every name is a view into the text, which the module keeps.
#pragma once

#include "runtime/emulator/ptx/types.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tegula::emulator::ptx {

enum class OperandKind : uint8_t {
  name,    // register, special register, variable, function or label: the decoder knows
  integer, // value: the bits, sign-extended to 64
  real32,  // value: 32 bits
  real64,  // value: 64 bits
  address, // [parts[0] + value], further parts are what follows the comma, as in [map, {x, y}]
  vector,  // {parts}
  sink     // _
};

struct Operand {
  OperandKind kind = OperandKind::sink;
  bool negated = false;    // !p
  uint64_t value = 0;      // immediate, or the offset of a name or address
  std::string_view name;   // of kind name
  std::string_view second; // the q of p|q
  std::vector<Operand> parts;
};

struct Instruction {
  std::string_view opcode;                 // "ld"
  std::vector<std::string_view> modifiers; // ".global", ".v4", ".f32"
  std::vector<Operand> operands;
  std::string_view predicate; // empty if none
  bool predicate_negated = false;
};

/// A variable, a register range or a parameter.
struct Variable {
  Space space = Space::reg;
  Type type = Type::none;
  uint8_t vector = 1;   // 2 or 4 for .v2 and .v4
  uint32_t align = 0;   // 0: natural
  int64_t elements = 1; // product of the extents; 0 for an unsized array
  bool is_array = false, is_extern = false, is_visible = false;
  int64_t range = -1; // registers: %r<10> has 10
  std::string_view name;
  std::vector<Operand> initial; // in elements
  uint32_t line = 0;
};

enum class StatementKind : uint8_t { instruction, label, open, close, variable, location, prototype, targets, pragma };

struct Statement {
  StatementKind kind = StatementKind::instruction;
  uint32_t line = 0;
  uint32_t index = 0;                 // into Function::instructions, ::variables, ::target_lists, or a location
  std::string_view name;              // label, prototype
  uint32_t file = 0, source_line = 0; // location
};

struct Function {
  bool is_entry = false, has_body = false, is_extern = false;
  std::string_view name;
  uint32_t line = 0;
  std::vector<Variable> results, params;
  uint32_t maxntid[3] = {0, 0, 0}, reqntid[3] = {0, 0, 0}, cluster[3] = {0, 0, 0};
  uint32_t min_ctas = 0, max_registers = 0;
  bool explicit_cluster = false;
  std::vector<Statement> body;
  std::vector<Instruction> instructions;
  std::vector<Variable> variables;
  std::vector<std::vector<std::string_view>> target_lists; // .branchtargets
};

struct SourceFile {
  uint32_t index;
  std::string_view path;
};

struct Module {
  std::string text; // owns what all views point into
  std::string_view target;
  unsigned version_major = 0, version_minor = 0;
  unsigned address_bits = 64;
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::vector<SourceFile> files;
};

struct ParseError {
  uint32_t line = 0; // 0: no error
  std::string message;
};

/// Parses a whole module. On an error the result is null and `error` says where and what.
[[nodiscard]] std::unique_ptr<Module> parse(std::string text, ParseError &error);

} // namespace tegula::emulator::ptx
