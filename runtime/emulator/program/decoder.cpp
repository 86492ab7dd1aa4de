// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The decoder's statements and scopes; operands are in decoder_operands.cpp.
#include "runtime/emulator/program/decoder.h"

#include "runtime/emulator/ops/control.h"
#include "runtime/emulator/ops/moves.h"

namespace tegula::emulator {
namespace {

uint32_t round_up(uint32_t value, uint32_t align) { return (value + align - 1) / align * align; }

unsigned storage_bytes(Type t) {
  unsigned bits = ptx::bits_of(t);
  return t == Type::pred ? 0 : bits <= 16 ? 2 : bits / 8;
}

Parameter place(const ptx::Variable &v, uint32_t &at) {
  Parameter p;
  uint32_t element = std::max(1u, ptx::bits_of(v.type) / 8) * v.vector;
  p.name = std::string(v.name);
  p.align = std::max(v.align, element);
  p.bytes = static_cast<uint32_t>(element * static_cast<uint64_t>(v.elements));
  p.offset = round_up(at, p.align);
  at = p.offset + p.bytes;
  return p;
}

} // namespace

Decoder::Decoder(Program &program, const ptx::Module &module, const ptx::Function &from, Function &into)
    : program_(program), module_(module), from_(from), into_(into) {
  scopes_.emplace_back();
}

void Decoder::declare_parameters() {
  for (auto *list : {&from_.results, &from_.params}) {
    for (const ptx::Variable &v : *list) {
      line_ = from_.line;
      if (v.space == Space::reg)
        throw LoadError{from_.line, "function '" + into_.name + "': parameters in registers (.reg) are not emulated"};
      uint32_t &at = from_.is_entry ? into_.param_bytes : into_.local_bytes;
      if (v.elements > (1 << 20))
        throw LoadError{from_.line, "parameter '" + std::string(v.name) + "' is larger than a launch can pass"};
      Parameter p = place(v, at);
      (list == &from_.results ? into_.results : into_.params).push_back(p);
      scopes_[0].params[p.name] = p;
      if (!from_.is_entry)
        scopes_[0].variables[p.name] = {Space::local, p.offset};
    }
  }
}

void Decoder::collect_labels() {
  std::vector<size_t> open{SIZE_MAX};
  uint32_t id = 0;
  for (size_t i = 0; i < from_.body.size(); ++i) {
    const ptx::Statement &s = from_.body[i];
    if (s.kind == ptx::StatementKind::open)
      open.push_back(i);
    else if (s.kind == ptx::StatementKind::close)
      open.pop_back();
    else if (s.kind == ptx::StatementKind::label) {
      label_at_[i] = id;
      if (!block_labels_[open.back()].emplace(std::string(s.name), id++).second)
        throw LoadError{s.line, "label '" + std::string(s.name) + "' is defined twice in one block"};
    }
  }
  label_pc_.assign(id, 0);
  scopes_[0].labels = block_labels_[SIZE_MAX];
}

void Decoder::decode() {
  into_.locations.push_back({});
  declare_parameters();
  collect_labels();
  for (size_t i = 0; i < from_.body.size(); ++i)
    statement(from_.body[i], i);
  Inst end; // falling off the end returns
  end.control = return_control();
  ast_ = nullptr;
  guard_kind_ = Guard::none;
  emit(end);
  patch_targets();
  into_.local_bytes = round_up(into_.local_bytes, 16);
}

void Decoder::patch_targets() {
  for (Inst &i : into_.code)
    if (is_branch(i))
      i.target = label_pc_[i.target];
  into_.label_pc = label_pc_;
}

void Decoder::statement(const ptx::Statement &s, size_t index) {
  line_ = s.line;
  switch (s.kind) {
  case ptx::StatementKind::open:
    scopes_.emplace_back();
    scopes_.back().labels = block_labels_[index];
    break;
  case ptx::StatementKind::close: scopes_.pop_back(); break;
  case ptx::StatementKind::label: label_pc_[label_at_[index]] = static_cast<uint32_t>(into_.code.size()); break;
  case ptx::StatementKind::variable: declare(from_.variables[s.index]); break;
  case ptx::StatementKind::location:
    into_.locations.push_back({s.file, s.source_line});
    location_ = static_cast<uint32_t>(into_.locations.size() - 1);
    break;
  case ptx::StatementKind::targets: scopes_.back().target_lists[std::string(s.name)] = s.index; break;
  case ptx::StatementKind::prototype:
  case ptx::StatementKind::pragma: break;
  case ptx::StatementKind::instruction: instruction(from_.instructions[s.index]); break;
  }
}

void Decoder::declare_register(std::string name, Type type, uint32_t line) {
  unsigned bytes = storage_bytes(type);
  if (into_.register_bytes > (1u << 30))
    throw LoadError{line, "function '" + into_.name + "' declares too many registers"};
  Slot slot = allocate(bytes);
  into_.register_names[slot.off] = name;
  if (!scopes_.back().registers.emplace(std::move(name), Register{slot, bytes, type}).second)
    throw LoadError{line, "a register is declared twice in one block"};
}

void Decoder::declare(const ptx::Variable &v) {
  std::string name(v.name);
  uint32_t element = std::max(1u, ptx::bits_of(v.type) / 8) * v.vector;
  switch (v.space) {
  case Space::reg:
    if (v.vector != 1)
      throw LoadError{v.line, "vector registers (.reg .v" + std::to_string(v.vector) + ") are not emulated"};
    if (v.range < 0)
      return declare_register(std::move(name), v.type, v.line);
    for (int64_t i = 0; i < v.range; ++i)
      declare_register(name + std::to_string(i), v.type, v.line);
    return;
  case Space::local:
  case Space::param: {
    if (v.elements * element > (1 << 24))
      throw LoadError{v.line, "local variable '" + name + "' is larger than 16 MiB"};
    Parameter p = place(v, into_.local_bytes);
    scopes_.back().variables[name] = {Space::local, p.offset};
    scopes_.back().params[name] = p;
    return;
  }
  case Space::shared: {
    SharedVariable s{into_.name + "." + name, static_cast<uint32_t>(std::min<int64_t>(v.elements * element, 1 << 30)),
                     std::max(v.align, element), v.elements == 0};
    program_.shared.push_back(s);
    scopes_.back().variables[name] = {Space::shared, static_cast<uint32_t>(program_.shared.size() - 1)};
    return;
  }
  default: throw LoadError{v.line, "variable '" + name + "': this state space is not emulated inside a function"};
  }
}

void Decoder::instruction(const ptx::Instruction &i) {
  ast_ = &i;
  taken_.assign(i.modifiers.size(), false);
  read_.clear();
  written_.clear();
  fixups_.clear();
  guard_kind_ = Guard::none;
  try {
    if (!i.predicate.empty()) {
      const Register *r = find_register(i.predicate);
      if (!r || r->bytes != 0)
        refuse("the guard '" + std::string(i.predicate) + "' is no predicate register");
      guard_ = r->slot;
      touch(r->slot, false);
      guard_kind_ = i.predicate_negated ? Guard::if_false : Guard::if_true;
    }
    DecodeFn fn = find_opcode(i.opcode);
    if (!fn)
      refuse("this instruction is not emulated");
    fn(*this);
    for (size_t m = 0; m < taken_.size(); ++m)
      if (!taken_[m])
        refuse("modifier '" + std::string(i.modifiers[m]) + "' is not emulated here");
    for (const Fixup &f : std::vector<Fixup>(fixups_)) {
      Inst move;
      move.run = resize_handler(f.from_bytes, f.to_bytes, f.sign);
      move.d = f.to;
      move.s[0] = f.from;
      emit(move);
    }
  } catch (const Refusal &r) {
    throw LoadError{line_, r.message};
  }
}

void Decoder::refuse(const std::string &why) const {
  std::string text = "'" + std::string(ast_->opcode);
  for (std::string_view m : ast_->modifiers)
    text += std::string(m);
  throw Refusal{text + "': " + why};
}

void Decoder::emit(Inst i) {
  i.guard = guard_kind_;
  i.guard_pred = guard_;
  i.line = line_;
  i.location = location_;
  std::vector<Slot> touched = written_;
  touched.insert(touched.end(), read_.begin(), read_.end());
  i.written_count = static_cast<uint16_t>(written_.size());
  i.touched_count = static_cast<uint16_t>(touched.size());
  if (!touched.empty())
    i.touched = keep(std::move(touched));
  read_.clear();
  written_.clear();
  into_.code.push_back(i);
}

void Decoder::emit_run(Handler run, Slot d, Slot a, Slot b, Slot c) {
  if (!run)
    refuse("this combination of type and modifiers is not emulated");
  Inst i;
  i.run = run;
  i.d = d;
  i.s[0] = a;
  i.s[1] = b;
  i.s[2] = c;
  emit(i);
}

Slot Decoder::allocate(unsigned bytes) {
  uint32_t size = bytes == 0 ? 4 : bytes * kLanes;
  uint32_t at = bytes == 0 ? into_.register_bytes : round_up(into_.register_bytes, 64);
  into_.register_bytes = at + size;
  return {at};
}

Slot Decoder::carry_flag() {
  if (!has_carry_)
    carry_ = allocate(4);
  has_carry_ = true;
  return carry_;
}

Slot Decoder::scratch(unsigned bytes) { return allocate(bytes); }

const Slot *Decoder::keep(std::vector<Slot> slots) {
  into_.slot_lists.push_back(std::move(slots));
  return into_.slot_lists.back().data();
}

uint32_t Decoder::label(std::string_view name) {
  std::string key(name);
  for (size_t i = scopes_.size(); i-- > 0;)
    if (auto it = scopes_[i].labels.find(key); it != scopes_[i].labels.end())
      return it->second;
  refuse("there is no label '" + key + "'");
}

const std::vector<std::string_view> *Decoder::target_list(std::string_view name) const {
  for (size_t i = scopes_.size(); i-- > 0;)
    if (auto it = scopes_[i].target_lists.find(std::string(name)); it != scopes_[i].target_lists.end())
      return &from_.target_lists[it->second];
  return nullptr;
}

} // namespace tegula::emulator
