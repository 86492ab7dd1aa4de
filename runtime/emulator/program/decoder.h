// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns one function's statements into Insts: resolves names by scope, places registers and constants. The meaning of
// each opcode is decoded by the family that executes it (ops/), through this class.
#pragma once

#include "runtime/emulator/program/program.h"

#include <string_view>

namespace tegula::emulator {

using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

struct Refusal {
  std::string message;
};

class Decoder {
public:
  Decoder(Program &program, const ptx::Module &module, const ptx::Function &from, Function &into);
  void decode(); // throws LoadError

  // --- the instruction at hand -------------------------------------------------------------------------------------
  [[nodiscard]] const ptx::Instruction &ast() const { return *ast_; }
  [[nodiscard]] size_t operands() const { return ast_->operands.size(); }
  const Operand &operand(size_t i);
  /// Throws: the instruction is refused, with `why`.
  [[noreturn]] void refuse(const std::string &why) const;
  /// Refuses unless there are between lo and hi operands.
  void expect_operands(size_t lo, size_t hi);

  /// Takes a modifier if it is there. Modifiers that nobody takes refuse the instruction.
  bool take(std::string_view modifier);
  /// Takes the first modifier that names a type.
  Type take_type();
  bool take_prefix(std::string_view prefix, std::string_view &rest);
  /// Takes the first of the given modifiers that is there; -1 if none is.
  int take_any(std::initializer_list<std::string_view> modifiers);
  /// Modifiers that only hint: caches, eviction, prefetch sizes, scopes and orders are taken here.
  void take_cache_hints();

  // --- operands ----------------------------------------------------------------------------------------------------
  Slot use(const Operand &o, Type type);
  Slot use(size_t i, Type type) { return use(operand(i), type); }
  Slot use_pred(const Operand &o);
  Slot def(const Operand &o, Type type);
  Slot def(size_t i, Type type) { return def(operand(i), type); }
  Slot def_pred(const Operand &o);
  Slot def_pred_named(std::string_view name);
  Slot def_name(std::string_view name, Type type);
  Slot constant(uint64_t bits, unsigned bytes);
  Slot scratch(unsigned bytes); // a fresh register without a name
  Slot carry_flag();            // the condition code of this function
  Address address(const Operand &o);
  /// Values of a vector operand, or the one value.
  std::vector<Slot> use_vector(const Operand &o, Type type);
  std::vector<Slot> def_vector(const Operand &o, Type type);
  const Slot *keep(std::vector<Slot> slots);
  template <class T> const T *keep_extra(T value) {
    auto p = std::make_shared<T>(std::move(value));
    into_.extras.push_back(p);
    return p.get();
  }
  [[nodiscard]] bool is_register(const Operand &o) const;
  /// The operand's integer, which must be a literal.
  int64_t literal(const Operand &o);
  /// Width in bytes of the register that an operand names, 0 if it is no register.
  unsigned register_bytes(const Operand &o) const;
  /// The space that a variable lives in, generic if the name is no variable.
  Space space_of_name(std::string_view name) const;
  /// Offset of a parameter of the entry being decoded, or -1.
  int64_t entry_param(std::string_view name) const;
  uint32_t function_named(std::string_view name);
  const Parameter *param_variable(std::string_view name) const;
  uint32_t label(std::string_view name);
  const std::vector<std::string_view> *target_list(std::string_view name) const;
  Function &into() { return into_; }
  Program &program() { return program_; }

  // --- output ------------------------------------------------------------------------------------------------------
  /// Appends the instruction with the guard of the statement at hand.
  void emit(Inst i);
  void emit_run(Handler run, Slot d, Slot a = {}, Slot b = {}, Slot c = {});

private:
  struct Register {
    Slot slot;
    unsigned bytes;
    Type type;
  };
  struct Scope {
    std::unordered_map<std::string, Register> registers;
    std::unordered_map<std::string, uint32_t> labels;                      // -> id
    std::unordered_map<std::string, std::pair<Space, uint32_t>> variables; // local, param: offset; shared: index
    std::unordered_map<std::string, Parameter> params;
    std::unordered_map<std::string, uint32_t> target_lists;
  };
  struct Fixup {
    Slot from, to;
    unsigned from_bytes, to_bytes;
    bool sign;
  };

  void declare_parameters();
  void declare(const ptx::Variable &v);
  void declare_register(std::string name, Type type, uint32_t line);
  void collect_labels();
  void statement(const ptx::Statement &s, size_t index);
  void instruction(const ptx::Instruction &i);
  void patch_targets();
  const Register *find_register(std::string_view name) const;
  const std::pair<Space, uint32_t> *find_variable(std::string_view name) const;
  Slot special(std::string_view name, Type type);
  Slot symbol(const Operand &o, unsigned bytes);
  Slot resize(Slot from, unsigned from_bytes, unsigned to_bytes, bool sign);
  void touch(Slot s, bool written);
  Slot allocate(unsigned bytes);

  Program &program_;
  const ptx::Module &module_;
  const ptx::Function &from_;
  Function &into_;
  std::vector<Scope> scopes_;
  std::vector<uint32_t> label_pc_;                                                     // label id -> pc
  std::unordered_map<size_t, std::unordered_map<std::string, uint32_t>> block_labels_; // open statement -> labels
  std::unordered_map<size_t, uint32_t> label_at_;                                      // label statement -> id
  std::map<std::tuple<uint64_t, unsigned>, Slot> constants_;
  const ptx::Instruction *ast_ = nullptr;
  std::vector<bool> taken_;
  std::vector<Slot> read_, written_;
  std::vector<Fixup> fixups_;
  Slot guard_;
  Guard guard_kind_ = Guard::none;
  uint32_t line_ = 0, location_ = 0;
  Slot carry_;
  bool has_carry_ = false;
};

/// How one opcode is decoded; throws Refusal.
using DecodeFn = void (*)(Decoder &);
/// Null if nobody knows the opcode.
[[nodiscard]] DecodeFn find_opcode(std::string_view opcode);

} // namespace tegula::emulator
