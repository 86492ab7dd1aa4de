// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The decoder's operands: names to slots, immediates to constants, widths made to agree.
#include "runtime/emulator/ops/moves.h"
#include "runtime/emulator/ops/special.h"
#include "runtime/emulator/program/decoder.h"

#include <bit>
#include <cstring>

namespace tegula::emulator {
namespace {
unsigned bytes_for(Type t) { return t == Type::pred ? 0 : std::max(1u, ptx::bits_of(t) / 8); }
} // namespace

const Operand &Decoder::operand(size_t i) {
  if (i >= ast_->operands.size())
    refuse("operand " + std::to_string(i + 1) + " is missing");
  return ast_->operands[i];
}

void Decoder::expect_operands(size_t lo, size_t hi) {
  if (operands() < lo || operands() > hi)
    refuse("it has " + std::to_string(operands()) + " operands, " + std::to_string(lo) +
           (hi > lo ? " to " + std::to_string(hi) : std::string()) + " are expected");
}

bool Decoder::take(std::string_view modifier) {
  for (size_t i = 0; i < taken_.size(); ++i)
    if (!taken_[i] && ast_->modifiers[i] == modifier) {
      taken_[i] = true;
      return true;
    }
  return false;
}

Type Decoder::take_type() {
  for (size_t i = 0; i < taken_.size(); ++i)
    if (Type t = taken_[i] ? Type::none : ptx::type_of(ast_->modifiers[i]); t != Type::none) {
      taken_[i] = true;
      return t;
    }
  return Type::none;
}

bool Decoder::take_prefix(std::string_view prefix, std::string_view &rest) {
  for (size_t i = 0; i < taken_.size(); ++i)
    if (!taken_[i] && ast_->modifiers[i].substr(0, prefix.size()) == prefix) {
      taken_[i] = true;
      rest = ast_->modifiers[i].substr(prefix.size());
      return true;
    }
  return false;
}

int Decoder::take_any(std::initializer_list<std::string_view> modifiers) {
  int index = 0;
  for (std::string_view m : modifiers) {
    if (take(m))
      return index;
    ++index;
  }
  return -1;
}

void Decoder::take_cache_hints() {
  for (size_t i = 0; i < taken_.size(); ++i) {
    std::string_view m = ast_->modifiers[i];
    bool hint = m == ".nc" || m == ".ca" || m == ".cg" || m == ".cs" || m == ".lu" || m == ".cv" || m == ".wb" ||
                m == ".wt" || m.substr(0, 4) == ".L1:" || m.substr(0, 4) == ".L2:";
    taken_[i] = taken_[i] || hint;
  }
}

const Decoder::Register *Decoder::find_register(std::string_view name) const {
  std::string key(name);
  for (size_t i = scopes_.size(); i-- > 0;)
    if (auto it = scopes_[i].registers.find(key); it != scopes_[i].registers.end())
      return &it->second;
  return nullptr;
}

const std::pair<Space, uint32_t> *Decoder::find_variable(std::string_view name) const {
  std::string key(name);
  for (size_t i = scopes_.size(); i-- > 0;)
    if (auto it = scopes_[i].variables.find(key); it != scopes_[i].variables.end())
      return &it->second;
  return nullptr;
}

bool Decoder::is_register(const Operand &o) const { return o.kind == OperandKind::name && find_register(o.name); }

unsigned Decoder::register_bytes(const Operand &o) const {
  const Register *r = o.kind == OperandKind::name ? find_register(o.name) : nullptr;
  return r ? r->bytes : 0;
}

int64_t Decoder::literal(const Operand &o) {
  if (o.kind != OperandKind::integer)
    refuse("an operand must be an integer literal");
  return static_cast<int64_t>(o.value);
}

void Decoder::touch(Slot s, bool written) { (written ? written_ : read_).push_back(s); }

Slot Decoder::constant(uint64_t bits, unsigned bytes) {
  uint64_t mask = bytes == 0 || bytes == 4 ? 0xffffffffu : bytes >= 8 ? ~uint64_t{0} : (uint64_t{1} << (bytes * 8)) - 1;
  bits &= mask;
  auto [it, fresh] = constants_.try_emplace({bits, bytes}, Slot{});
  if (!fresh)
    return it->second;
  size_t at = (into_.constants.size() + 63) / 64 * 64;
  if (bytes == 0) {
    into_.constants.resize(at + 4);
    std::memcpy(&into_.constants[at], &bits, 4);
  } else {
    into_.constants.resize(at + bytes * kLanes);
    for (unsigned l = 0; l < kLanes; ++l)
      std::memcpy(&into_.constants[at + l * bytes], &bits, std::min(bytes, 8u));
  }
  return it->second = Slot{static_cast<uint32_t>(at) | kConstantBit};
}

Slot Decoder::resize(Slot from, unsigned from_bytes, unsigned to_bytes, bool sign) {
  Inst i;
  i.run = resize_handler(from_bytes, to_bytes, sign);
  i.s[0] = from;
  i.d = scratch(to_bytes);
  emit(i);
  return i.d;
}

Slot Decoder::special(std::string_view name, Type type) {
  SpecialRegister s = find_special(name);
  if (!s.run)
    refuse("'" + std::string(name) + "' is neither declared nor a special register that is emulated");
  Inst i;
  i.run = s.run;
  i.d = scratch(s.bytes);
  emit(i);
  unsigned want = bytes_for(type);
  return s.bytes == want || s.bytes == 0 ? i.d : resize(i.d, s.bytes, want, false);
}

Slot Decoder::symbol(const Operand &o, unsigned bytes) {
  auto add = static_cast<int64_t>(o.value);
  const auto *v = find_variable(o.name);
  if (v && v->first == Space::local) {
    Inst i;
    i.run = local_address_handler(bytes);
    i.addr.imm = static_cast<int64_t>(v->second) + add;
    i.d = scratch(bytes);
    emit(i);
    return i.d;
  }
  if (int64_t at = entry_param(o.name); at >= 0)
    return constant(kParamWindow + static_cast<uint64_t>(at + add), bytes);
  std::string name(o.name);
  Relocation r{Relocation::Kind::shared, 0, static_cast<uint8_t>(bytes), 0, add};
  if (v) {
    r.symbol = v->second;
  } else if (auto g = program_.global_index.find(name); g != program_.global_index.end()) {
    r.kind = Relocation::Kind::global;
    r.symbol = g->second;
  } else if (auto s = program_.function_index.find(name); s != program_.function_index.end()) {
    into_.callees.push_back(s->second);
    return constant(kFunctionWindow + s->second, bytes);
  } else {
    // Shared variables of the module are few: a linear search will do.
    size_t n = 0;
    while (n < program_.shared.size() && program_.shared[n].name != name)
      ++n;
    if (n == program_.shared.size())
      return special(o.name, bytes == 8 ? Type::b64 : bytes == 4 ? Type::b32 : bytes == 2 ? Type::b16 : Type::b8);
    r.symbol = static_cast<uint32_t>(n);
  }
  if (bytes != 4 && bytes != 8)
    refuse("the address of '" + name + "' does not fit " + std::to_string(bytes) + " bytes");
  if (r.kind == Relocation::Kind::shared)
    into_.shared_used.push_back(r.symbol);
  r.offset = static_cast<uint32_t>((into_.constants.size() + 63) / 64 * 64);
  into_.constants.resize(r.offset + bytes * kLanes);
  into_.relocations.push_back(r);
  return Slot{r.offset | kConstantBit};
}

Slot Decoder::use(const Operand &o, Type type) {
  unsigned bytes = bytes_for(type);
  if (type == Type::pred)
    return use_pred(o);
  switch (o.kind) {
  case OperandKind::integer: return constant(o.value, bytes);
  case OperandKind::real32:
    return constant(bytes == 8 ? std::bit_cast<uint64_t>(double(std::bit_cast<float>(uint32_t(o.value)))) : o.value,
                    bytes);
  case OperandKind::real64:
    return constant(bytes == 4 ? std::bit_cast<uint32_t>(float(std::bit_cast<double>(o.value))) : o.value, bytes);
  case OperandKind::name: break;
  default: refuse("an operand has the wrong form");
  }
  const Register *r = find_register(o.name);
  if (!r)
    return symbol(o, bytes);
  if (r->bytes == 0)
    refuse("'" + std::string(o.name) + "' is a predicate");
  touch(r->slot, false);
  return r->bytes == bytes ? r->slot : resize(r->slot, r->bytes, bytes, ptx::is_signed(type));
}

Slot Decoder::use_pred(const Operand &o) {
  if (o.kind == OperandKind::integer)
    return constant(((o.value & 1) != 0) != o.negated ? kAllLanes : 0, 0);
  const Register *r = o.kind == OperandKind::name ? find_register(o.name) : nullptr;
  if (!r || r->bytes != 0) {
    if (o.kind == OperandKind::name && !r && find_special(o.name).bytes == 0)
      return special(o.name, Type::pred);
    refuse("an operand must be a predicate");
  }
  touch(r->slot, false);
  if (!o.negated)
    return r->slot;
  Inst i;
  i.run = not_pred_handler();
  i.s[0] = r->slot;
  i.d = scratch(0);
  emit(i);
  return i.d;
}

Slot Decoder::def(const Operand &o, Type type) {
  if (type == Type::pred)
    return def_pred(o);
  if (o.kind == OperandKind::sink)
    return scratch(bytes_for(type));
  if (o.kind != OperandKind::name)
    refuse("the destination must be a register");
  return def_name(o.name, type);
}

Slot Decoder::def_name(std::string_view name, Type type) {
  unsigned bytes = bytes_for(type);
  const Register *r = find_register(name);
  if (!r || r->bytes == 0)
    refuse("'" + std::string(name) + "' is no register of the type needed");
  touch(r->slot, true);
  if (r->bytes == bytes)
    return r->slot;
  if (r->bytes < bytes)
    refuse("register '" + std::string(name) + "' is too narrow for its value");
  Slot temporary = scratch(bytes);
  fixups_.push_back({temporary, r->slot, bytes, r->bytes, ptx::is_signed(type)});
  return temporary;
}

Slot Decoder::def_pred(const Operand &o) {
  if (o.kind == OperandKind::sink)
    return scratch(0);
  if (o.kind != OperandKind::name)
    refuse("the destination must be a predicate");
  return def_pred_named(o.name);
}

Slot Decoder::def_pred_named(std::string_view name) {
  if (name == "_")
    return scratch(0);
  const Register *r = find_register(name);
  if (!r || r->bytes != 0)
    refuse("'" + std::string(name) + "' is no predicate register");
  touch(r->slot, true);
  return r->slot;
}

Address Decoder::address(const Operand &o) {
  if (o.kind != OperandKind::address)
    refuse("an operand must be an address in brackets");
  const Operand &base = o.parts[0];
  Address a;
  if (base.kind == OperandKind::integer) {
    a.imm = static_cast<int64_t>(base.value);
    return a;
  }
  if (base.kind != OperandKind::name)
    refuse("an address must be a register, a name or a number");
  if (const Register *r = find_register(base.name)) {
    if (r->bytes != 4 && r->bytes != 8)
      refuse("an address register must have 32 or 64 bits");
    touch(r->slot, false);
    a.base = r->slot;
    a.base_bytes = static_cast<uint8_t>(r->bytes);
    a.imm = static_cast<int64_t>(o.value);
    return a;
  }
  a.base = symbol(base, 8);
  a.base_bytes = 8;
  return a;
}

std::vector<Slot> Decoder::use_vector(const Operand &o, Type type) {
  std::vector<Slot> slots;
  if (o.kind != OperandKind::vector)
    return {use(o, type)};
  for (const Operand &part : o.parts)
    slots.push_back(use(part, type));
  return slots;
}

std::vector<Slot> Decoder::def_vector(const Operand &o, Type type) {
  std::vector<Slot> slots;
  if (o.kind != OperandKind::vector)
    return {def(o, type)};
  for (const Operand &part : o.parts)
    slots.push_back(def(part, type));
  return slots;
}

Space Decoder::space_of_name(std::string_view name) const {
  const auto *v = find_variable(name);
  return v ? v->first : entry_param(name) >= 0 ? Space::param : Space::generic;
}

int64_t Decoder::entry_param(std::string_view name) const {
  if (!from_.is_entry)
    return -1;
  for (const Parameter &p : into_.params)
    if (p.name == name)
      return p.offset;
  return -1;
}

uint32_t Decoder::function_named(std::string_view name) {
  auto it = program_.function_index.find(std::string(name));
  if (it == program_.function_index.end())
    refuse("there is no function '" + std::string(name) + "'");
  into_.callees.push_back(it->second);
  return it->second;
}

const Parameter *Decoder::param_variable(std::string_view name) const {
  for (size_t i = scopes_.size(); i-- > 0;)
    if (auto it = scopes_[i].params.find(std::string(name)); it != scopes_[i].params.end())
      return &it->second;
  return nullptr;
}

} // namespace tegula::emulator
