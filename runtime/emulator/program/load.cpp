// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads a module: parse, collect its names, lay out its variables, decode every function.
#include "runtime/emulator/ops/calls.h"
#include "runtime/emulator/program/decoder.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>

namespace tegula::emulator {
namespace {

void store_initial(GlobalVariable &g, const ptx::Variable &v, unsigned element) {
  if (v.initial.empty())
    return;
  // What follows the last value given is zero, as fresh memory is: an image is never larger than its text.
  g.image.assign(std::min<uint64_t>(g.bytes, v.initial.size() * element), std::byte{0});
  for (size_t i = 0; i < v.initial.size() && (i + 1) * element <= g.image.size(); ++i) {
    const Operand &o = v.initial[i];
    uint64_t bits = o.value;
    if (o.kind == OperandKind::name) {
      g.fixes.push_back(
          {i * element, std::string(o.name), static_cast<int64_t>(o.value), static_cast<uint8_t>(element)});
      continue;
    }
    if (o.kind == OperandKind::real64 && element == 4)
      bits = std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
    else if (o.kind == OperandKind::real32 && element == 8)
      bits = std::bit_cast<uint64_t>(static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits))));
    std::memcpy(&g.image[i * element], &bits, std::min(element, 8u));
  }
}

void declare_variable(Program &p, const ptx::Variable &v) {
  unsigned element = std::max(1u, ptx::bits_of(v.type) / 8) * v.vector;
  std::string name(v.name);
  uint32_t align = std::max(v.align, element);
  if (v.space == Space::shared) {
    if (v.elements * element > (1 << 24))
      throw LoadError{v.line, "shared variable '" + name + "' is larger than any shared memory"};
    p.shared.push_back({name, static_cast<uint32_t>(v.elements * element), align, v.elements == 0});
    return;
  }
  if (v.space != Space::global && v.space != Space::constant)
    throw LoadError{v.line, "variable '" + name + "': its state space is not emulated at module level"};
  if (v.is_extern)
    throw LoadError{v.line, "variable '" + name + "' is defined in another module; linking is not emulated"};
  if (v.elements > (int64_t{1} << 36) / element)
    throw LoadError{v.line, "variable '" + name + "' is too large"};
  GlobalVariable g;
  g.name = name;
  g.bytes = static_cast<uint64_t>(v.elements) * element;
  g.align = align;
  g.constant = v.space == Space::constant;
  store_initial(g, v, v.vector > 1 ? element / v.vector : element);
  p.global_index[name] = static_cast<uint32_t>(p.globals.size());
  p.globals.push_back(std::move(g));
}

void declare_function(Program &p, const ptx::Function &f) {
  std::string name(f.name);
  if (p.function_index.count(name))
    return; // a declaration and then the definition
  p.function_index[name] = static_cast<uint32_t>(p.functions.size());
  Function &into = p.functions.emplace_back();
  into.name = name;
  into.is_entry = f.is_entry;
  into.max_registers = f.max_registers;
  into.min_ctas = f.min_ctas;
  std::copy(f.maxntid, f.maxntid + 3, into.maxntid);
  std::copy(f.reqntid, f.reqntid + 3, into.reqntid);
  std::copy(f.cluster, f.cluster + 3, into.cluster);
}

} // namespace

const Function *Program::entry(const std::string &name) const {
  auto it = function_index.find(name);
  return it != function_index.end() && functions[it->second].is_entry ? &functions[it->second] : nullptr;
}

std::string_view Program::file(uint32_t index) const {
  for (const ptx::SourceFile &f : source->files)
    if (f.index == index)
      return f.path;
  return {};
}

SharedLayout Program::layout(const Function &entry) const {
  std::set<uint32_t> used;
  std::set<const Function *> seen;
  std::vector<const Function *> todo{&entry};
  while (!todo.empty()) {
    const Function *f = todo.back();
    todo.pop_back();
    if (!seen.insert(f).second)
      continue;
    used.insert(f->shared_used.begin(), f->shared_used.end());
    for (uint32_t c : f->callees)
      todo.push_back(&functions[c]);
    if (f->calls_indirectly)
      for (const Function &g : functions)
        if (!g.is_entry)
          todo.push_back(&g);
  }
  SharedLayout out;
  uint32_t at = kSharedReserved, dynamic_align = 16;
  for (uint32_t i : used) {
    if (shared[i].dynamic) {
      dynamic_align = std::max(dynamic_align, shared[i].align);
      continue;
    }
    at = (at + shared[i].align - 1) / shared[i].align * shared[i].align;
    out.offset[i] = at;
    at += shared[i].bytes;
  }
  out.static_bytes = at - kSharedReserved;
  out.dynamic_offset = (at + dynamic_align - 1) / dynamic_align * dynamic_align;
  for (uint32_t i : used)
    if (shared[i].dynamic)
      out.offset[i] = out.dynamic_offset;
  return out;
}

std::unique_ptr<Program> load_program(std::string text, LoadError &error) {
  ptx::ParseError parse_error;
  auto program = std::make_unique<Program>();
  program->source = ptx::parse(std::move(text), parse_error);
  if (!program->source) {
    error = {parse_error.line, parse_error.message};
    return nullptr;
  }
  const ptx::Module &m = *program->source;
  program->target = std::string(m.target);
  try {
    for (const ptx::Variable &v : m.variables)
      declare_variable(*program, v);
    for (const ptx::Function &f : m.functions)
      declare_function(*program, f);
    for (const ptx::Function &f : m.functions) {
      Function &into = program->functions[program->function_index[std::string(f.name)]];
      if (f.has_body) {
        if (!into.code.empty())
          throw LoadError{f.line, "function '" + into.name + "' is defined twice"};
        Decoder(*program, m, f, into).decode();
      } else if (into.code.empty()) {
        into.is_builtin = is_builtin(into.name);
      }
    }
    for (const Function &f : program->functions)
      for (uint32_t c : f.callees)
        if (program->functions[c].code.empty() && !program->functions[c].is_builtin)
          throw LoadError{0, "function '" + program->functions[c].name + "', called by '" + f.name +
                                 "', is not in this module; linking is not emulated"};
  } catch (const LoadError &e) {
    error = e;
    return nullptr;
  }
  return program;
}

} // namespace tegula::emulator
