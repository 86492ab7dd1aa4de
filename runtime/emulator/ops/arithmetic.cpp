// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decodes arithmetic: modifiers become the name of a lane handler.
#include "runtime/emulator/lanes/registry.h"
#include "runtime/emulator/ops/decoders.h"
#include "runtime/emulator/program/decoder.h"

namespace tegula::emulator {
namespace {

bool is_half(Type t) { return t == Type::f16 || t == Type::f16x2 || t == Type::bf16 || t == Type::bf16x2; }

/// ".rz" and so on; nearest even, which is also how .rn is done here, has no name.
std::string rounding(Decoder &d) {
  switch (d.take_any({".rn", ".rz", ".rm", ".rp", ".rna"})) {
  case 1: return ".rz";
  case 2: return ".rm";
  case 3: return ".rp";
  case 4: d.refuse("this rounding is not emulated here");
  default: return "";
  }
}

void emit_named(Decoder &d, const std::string &name, Type result, std::initializer_list<Type> sources) {
  Inst i;
  i.run = find_lane(name);
  if (!i.run)
    d.refuse("this combination of type and modifiers is not emulated (" + name + ")");
  d.expect_operands(sources.size() + 1, sources.size() + 1);
  size_t n = 0;
  for (Type t : sources) {
    i.s[n] = d.use(n + 1, t);
    ++n;
  }
  i.d = d.def(0, result);
  d.emit(i);
}

/// add, sub and fma of f32 whose first operands are halves: those are widened first.
void decode_mixed(Decoder &d, const std::string &name, Type half) {
  size_t sources = d.operands() - 1, halves = sources == 3 ? 2 : 1;
  if (d.ast().opcode != "add" && d.ast().opcode != "sub" && d.ast().opcode != "fma")
    d.refuse("this instruction has no operands of " + std::string(ptx::name_of(half)));
  Inst i;
  i.run = find_lane(name);
  if (!i.run || sources < 2 || sources > 3)
    d.refuse("this combination of type and modifiers is not emulated (" + name + ")");
  for (size_t n = 0; n < sources; ++n) {
    i.s[n] = n < halves ? d.scratch(4) : d.use(n + 1, Type::f32);
    if (n < halves)
      d.emit_run(find_lane("cvt.f32." + std::string(ptx::name_of(half))), i.s[n], d.use(n + 1, half));
  }
  i.d = d.def(0, Type::f32);
  d.emit(i);
}

/// min and max of two s16, then no less than 0.
void decode_relu_pair(Decoder &d) {
  Slot a = d.use(1, Type::s16x2), b = d.use(2, Type::s16x2), between = d.scratch(4);
  d.emit_run(find_lane(std::string(d.ast().opcode) + ".s16x2"), between, a, b);
  d.emit_run(find_lane("max.s16x2"), d.def(0, Type::s16x2), between, d.constant(0, 4));
}

/// min and max of three magnitudes.
void decode_three_magnitudes(Decoder &d, const std::string &name, bool ftz) {
  Inst i;
  i.run = find_lane(name);
  d.expect_operands(4, 4);
  for (size_t n = 0; n < 3; ++n) {
    i.s[n] = d.scratch(4);
    d.emit_run(find_lane(ftz ? "abs.ftz.f32" : "abs.f32"), i.s[n], d.use(n + 1, Type::f32));
  }
  i.d = d.def(0, Type::f32);
  d.emit(i);
}

/// mad.cc and madc: a half of the product, then an addition with the condition code.
void decode_mad_carry(Decoder &d, bool out) {
  int part = d.take_any({".lo", ".hi"});
  Type t = d.take_type();
  if (part < 0 || (t != Type::u32 && t != Type::s32 && t != Type::u64 && t != Type::s64))
    d.refuse("it needs .lo or .hi and an integer of 32 or 64 bits");
  d.expect_operands(4, 4);
  unsigned bytes = ptx::bits_of(t) / 8;
  Slot product = d.scratch(bytes);
  d.emit_run(find_lane(std::string(part ? "mul.hi." : "mul.lo.") + std::string(ptx::name_of(t))), product, d.use(1, t),
             d.use(2, t));
  Inst i;
  i.run = find_lane(std::string(d.ast().opcode == "madc" ? "addc" : "add") + (out ? ".cc" : "") +
                    (bytes == 8 ? ".u64" : ".u32"));
  i.s[0] = product;
  i.s[1] = d.use(3, t);
  i.d = d.def(0, t);
  i.d2 = d.carry_flag();
  d.emit(i);
}

} // namespace

void decode_arithmetic(Decoder &d) {
  std::string name(d.ast().opcode);
  if ((name == "add" || name == "sub") && d.take(".cc"))
    return decode_carry(d);
  std::string round = rounding(d);
  int approx = d.take_any({".approx", ".full"});
  Type t = d.take_type();
  if (t == Type::none)
    d.refuse("it has no type");
  if (approx == 0)
    name += ".approx";
  name += round;
  bool ftz = d.take(".ftz"), sat = d.take(".sat"), nan = d.take(".NaN"), relu = d.take(".relu");
  if (is_half(t) && relu && name.substr(0, 3) != "fma")
    d.refuse("modifier '.relu' is not emulated here");
  bool xorsign = d.take(".xorsign");
  if (xorsign && !d.take(".abs"))
    d.refuse("'.xorsign' needs '.abs'");
  size_t sources = d.operands() - 1;
  if ((name == "min" || name == "max") && sources == 3)
    name += "3";
  name += std::string(ftz ? ".ftz" : "") + (sat ? ".sat" : "") + (nan ? ".NaN" : "") + (relu ? ".relu" : "") +
          (xorsign ? ".xorsign.abs" : "") + "." + std::string(ptx::name_of(t));
  if (Type half = t == Type::f32 ? d.take_type() : Type::none; half != Type::none)
    return decode_mixed(d, name, half);
  if (t == Type::f32 && !xorsign && name.substr(3, 1) == "3" && d.take(".abs"))
    return decode_three_magnitudes(d, name, ftz);
  if (t == Type::s16x2 && relu && sources == 2)
    return decode_relu_pair(d);
  if (sources == 1)
    emit_named(d, name, t, {t});
  else if (sources == 2)
    emit_named(d, name, t, {t, t});
  else
    emit_named(d, name, t, {t, t, t});
}

/// mad24: a product of 24 bits and an addition that wraps.
void decode_mad24(Decoder &d) {
  int part = d.take_any({".lo", ".hi"});
  Type t = d.take_type();
  if (part < 0 || (t != Type::u32 && t != Type::s32))
    d.refuse("it needs .lo or .hi and .u32 or .s32; .sat is not emulated");
  d.expect_operands(4, 4);
  std::string type(ptx::name_of(t));
  Slot product = d.scratch(4);
  d.emit_run(find_lane((part ? "mul24.hi." : "mul24.lo.") + type), product, d.use(1, t), d.use(2, t));
  d.emit_run(find_lane("add." + type), d.def(0, t), product, d.use(3, t));
}

void decode_mul(Decoder &d) {
  std::string op(d.ast().opcode);
  bool mad = op == "mad";
  bool carry_out = d.take(".cc");
  if (carry_out || op == "madc")
    return decode_mad_carry(d, carry_out);
  static constexpr const char *kParts[] = {".lo", ".hi", ".wide"};
  int part = d.take_any({".lo", ".hi", ".wide"});
  std::string round = part < 0 ? rounding(d) : "";
  bool sat = part < 0 ? d.take(".sat") : false;
  bool ftz = d.take(".ftz");
  Type t = d.take_type();
  std::string type(ptx::name_of(t));
  if (part < 0) {
    std::string name = (mad ? "fma" : "mul") + round + (ftz ? ".ftz" : "") + (sat ? ".sat" : "") + "." + type;
    if (mad)
      return emit_named(d, name, t, {t, t, t});
    return emit_named(d, name, t, {t, t});
  }
  Type wide = t;
  if (part == 2)
    wide = t == Type::u16 ? Type::u32 : t == Type::s16 ? Type::s32 : t == Type::u32 ? Type::u64 : Type::s64;
  std::string name = op + kParts[part] + "." + type;
  if (mad)
    emit_named(d, name, wide, {t, t, wide});
  else
    emit_named(d, name, wide, {t, t});
}

void decode_dot(Decoder &d) {
  std::string name(d.ast().opcode);
  if (name == "dp2a")
    name += d.take_any({".lo", ".hi"}) == 1 ? ".hi" : ".lo";
  Type a = d.take_type(), b = d.take_type();
  name += "." + std::string(ptx::name_of(a)) + "." + std::string(ptx::name_of(b));
  emit_named(d, name, Type::b32, {Type::b32, Type::b32, Type::b32});
}

/// The one video instruction that CUDA's headers emit; the others are refused by name.
void decode_distance(Decoder &d) {
  Type result = d.take_type(), a = d.take_type(), b = d.take_type();
  if (a != b || (result != Type::u32 && result != Type::s32))
    d.refuse("distances of mixed types are not emulated");
  std::string name = std::string("vabsdiff4") + (d.take(".add") ? ".add." : ".") + std::string(ptx::name_of(a));
  emit_named(d, name, result, {Type::b32, Type::b32, Type::b32});
}

void decode_carry(Decoder &d) {
  std::string name(d.ast().opcode);
  bool out = name == "add" || name == "sub" || d.take(".cc");
  Type t = d.take_type();
  bool wide = ptx::bits_of(t) == 64;
  Inst i;
  i.run = find_lane(name + (out ? ".cc" : "") + (wide ? ".u64" : ".u32"));
  if (!i.run || (t != Type::u32 && t != Type::s32 && t != Type::u64 && t != Type::s64))
    d.refuse("a carry of this type is not emulated");
  i.s[0] = d.use(1, t);
  i.s[1] = d.use(2, t);
  i.d = d.def(0, t);
  i.d2 = d.carry_flag();
  d.emit(i);
}

void decode_approx(Decoder &d) {
  std::string name(d.ast().opcode);
  bool approx = d.take(".approx");
  std::string round = rounding(d);
  bool ftz = d.take(".ftz");
  Type t = d.take_type();
  name +=
      (approx && t == Type::f64 ? ".approx" : "") + round + (ftz ? ".ftz" : "") + "." + std::string(ptx::name_of(t));
  emit_named(d, name, t, {t});
}

void decode_testp(Decoder &d) {
  static constexpr const char *kTests[] = {".finite", ".infinite", ".number", ".notanumber", ".normal", ".subnormal"};
  int test = d.take_any({".finite", ".infinite", ".number", ".notanumber", ".normal", ".subnormal"});
  Type t = d.take_type();
  if (test < 0)
    d.refuse("it does not say what to test");
  emit_named(d, std::string("testp") + kTests[test] + "." + std::string(ptx::name_of(t)), Type::pred, {t});
}

void decode_logic(Decoder &d) {
  std::string name(d.ast().opcode);
  Type t = d.take_type();
  name += "." + std::string(ptx::name_of(t));
  if (d.operands() == 2)
    emit_named(d, name, t, {t});
  else
    emit_named(d, name, t, {t, t});
}

void decode_shift(Decoder &d) {
  Type t = d.take_type();
  emit_named(d, std::string(d.ast().opcode) + "." + std::string(ptx::name_of(t)), t, {t, Type::u32});
}

void decode_funnel(Decoder &d) {
  int side = d.take_any({".l", ".r"}), mode = d.take_any({".wrap", ".clamp"});
  Type t = d.take_type();
  if (side < 0 || mode < 0 || t != Type::b32)
    d.refuse("it needs .l or .r, .wrap or .clamp, and .b32");
  emit_named(d, std::string("shf") + (side ? ".r" : ".l") + (mode ? ".clamp" : ".wrap") + ".b32", t, {t, t, Type::u32});
}

void decode_bitfield(Decoder &d) {
  Type t = d.take_type();
  std::string name = std::string(d.ast().opcode) + "." + std::string(ptx::name_of(t));
  if (d.ast().opcode == "bfe")
    emit_named(d, name, t, {t, Type::u32, Type::u32});
  else
    emit_named(d, name, t, {t, t, Type::u32, Type::u32});
}

void decode_bitcount(Decoder &d) {
  std::string name(d.ast().opcode);
  if (d.take(".shiftamt"))
    name += ".shiftamt";
  Type t = d.take_type();
  emit_named(d, name + "." + std::string(ptx::name_of(t)), name == "brev" ? t : Type::u32, {t});
}

void decode_prmt(Decoder &d) {
  static constexpr const char *kModes[] = {".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"};
  (void)d.take_type();
  int mode = d.take_any({".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"});
  emit_named(d, std::string("prmt.b32") + (mode < 0 ? "" : kModes[mode]), Type::b32, {Type::b32, Type::b32, Type::b32});
}

void decode_lop3(Decoder &d) {
  int combine = d.take_any({".or", ".and"});
  (void)d.take_type();
  bool with_predicate = combine >= 0;
  d.expect_operands(with_predicate ? 6 : 5, with_predicate ? 6 : 5);
  const Operand &to = d.operand(0);
  if (with_predicate != !to.second.empty())
    d.refuse("a second result p needs .or or .and, and they need it");
  Inst i;
  i.run = find_lane("lop3.b32");
  for (size_t n = 0; n < 3; ++n)
    i.s[n] = d.use(n + 1, Type::b32);
  i.flags = static_cast<uint32_t>(d.literal(d.operand(4))) & 255;
  if (!with_predicate) {
    i.d = d.def(0, Type::b32);
    return d.emit(i);
  }
  // d|p: p says whether d is not 0, combined with the last operand.
  Slot q = d.use_pred(d.operand(5)), is_set = d.scratch(0);
  i.d = d.scratch(4);
  d.emit(i);
  d.emit_run(find_lane("setp.ne.u32"), is_set, i.d, d.constant(0, 4));
  if (to.kind == OperandKind::name)
    d.emit_run(find_lane("mov.4"), d.def_name(to.name, Type::b32), i.d);
  d.emit_run(find_lane(combine == 0 ? "or.pred" : "and.pred"), d.def_pred_named(to.second), is_set, q);
}

void decode_mask(Decoder &d) {
  std::string name(d.ast().opcode);
  if (name != "fns")
    name += d.take_any({".clamp", ".wrap"}) == 1 ? ".wrap" : ".clamp";
  Type t = d.take_type();
  name += "." + std::string(ptx::name_of(t));
  if (d.ast().opcode == "fns")
    emit_named(d, name, t, {t, Type::u32, Type::s32});
  else
    emit_named(d, name, t, {t, Type::u32});
}

} // namespace tegula::emulator
