// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decodes and checks instruction descriptors.
#include "runtime/emulator/tensor/instruction_descriptor.h"

namespace tegula::emulator {
namespace {

using E = TensorElement;

class Complaint {
public:
  explicit Complaint(std::string &text) : text_(text) {}
  void when(bool is, const std::string &what) {
    if (is)
      text_ += (text_.empty() ? "" : "; ") + what;
  }

private:
  std::string &text_;
};

unsigned bits_at(uint32_t v, unsigned at, unsigned count) { return v >> at & ((1u << count) - 1); }

/// -1 if the code is none of the kind's types.
int element_of(MmaKind kind, unsigned code) {
  switch (kind) {
  case MmaKind::f16: return code < 2 ? static_cast<int>(code) : -1;
  case MmaKind::tf32: return code == 2 ? static_cast<int>(E::tf32) : -1;
  case MmaKind::i8: return code < 2 ? static_cast<int>(E::u8) + static_cast<int>(code) : -1;
  case MmaKind::mxf4:
  case MmaKind::mxf4nvf4: return code == 1 ? static_cast<int>(E::e2m1_packed) : -1;
  default: {
    constexpr int kTypes[] = {static_cast<int>(E::e4m3), static_cast<int>(E::e5m2), -1, static_cast<int>(E::e2m3),
                              static_cast<int>(E::e3m2), static_cast<int>(E::e2m1), -1, -1};
    return kTypes[code];
  }
  }
}

unsigned dense_k(MmaKind kind) {
  constexpr unsigned kSteps[] = {16, 8, 32, 32, 32, 64, 64};
  return kSteps[static_cast<unsigned>(kind)];
}

void check_result(const InstructionDescriptor &i, const MmaForm &f, unsigned code, Complaint &c) {
  std::string d = "type code " + std::to_string(code) + " of D";
  switch (f.kind) {
  case MmaKind::f16:
    c.when(code > 1, d + "; 0 f16, 1 f32");
    c.when(code == 0 && (i.a != E::f16 || i.b != E::f16), "D of f16 needs A and B of f16");
    break;
  case MmaKind::f8f6f4: c.when(code > 1, d + "; 0 f16, 1 f32"); break;
  case MmaKind::i8: c.when(code != 2, d + "; 2 = s32 is the kind's"); break;
  default: c.when(!f.scaled() && code != 1, d + "; 1 = f32 is the kind's");
  }
}

void check_shape(const InstructionDescriptor &i, const MmaForm &f, Complaint &c) {
  std::string m = "M " + std::to_string(i.m), n = "N " + std::to_string(i.n);
  if (f.weight_stationary) {
    c.when(i.m != 32 && i.m != 64 && i.m != 128, m + "; .ws has 32, 64 and 128");
    bool fits = i.n == 64 || i.n == 128 || (i.n == 256 && !f.sparse);
    c.when(!fits, n + (f.sparse ? "; sparse .ws has 64 and 128" : "; .ws has 64, 128 and 256"));
    return;
  }
  bool pair = f.cta_group == 2;
  if (pair)
    c.when(i.m != 256 && (i.m != 128 || (f.scaled() && f.sparse)),
           m + (f.scaled() && f.sparse ? "; this form has 256" : "; .cta_group::2 has 128 and 256"));
  else
    c.when(i.m != 128 && (i.m != 64 || f.scaled()),
           m + (f.scaled() ? "; block scaling has 128" : "; .cta_group::1 has 64 and 128"));
  unsigned step = pair ? 16 : 8;
  bool eight_bit = i.b == E::u8 || i.b == E::s8 || i.b == E::e4m3 || i.b == E::e5m2;
  if ((f.kind == MmaKind::i8 && (pair || i.n > 32)) || (i.mn_major_b && eight_bit))
    step *= 2;
  c.when(i.n < step || i.n > 256 || i.n % step,
         n + "; " + std::to_string(step) + " to 256 in steps of " + std::to_string(step) + " is this form's");
}

void check_major(const InstructionDescriptor &i, const MmaForm &f, Complaint &c) {
  bool fp4 = f.kind == MmaKind::mxf4 || f.kind == MmaKind::mxf4nvf4;
  c.when(fp4 && (i.mn_major_a || i.mn_major_b), "MN-major operands; the kind has K-major ones only");
  c.when(i.mn_major_a && f.a_in_tensor_memory, "A in tensor memory cannot be MN-major");
  c.when(f.kind == MmaKind::i8 && (i.negate_a || i.negate_b), "the kind cannot negate");
}

void decode_scales(InstructionDescriptor &i, uint32_t bits, const MmaForm &f, Complaint &c) {
  i.scale_b_id = bits_at(bits, 4, 2);
  i.scale_a_id = bits_at(bits, 29, 2);
  i.scale_ue8m0 = bits_at(bits, 23, 1) != 0;
  c.when(!i.scale_ue8m0 && (f.kind != MmaKind::mxf4nvf4 || f.scales != 4),
         "scales of ue4m3 (bit 23 is 0) need .kind::mxf4nvf4 with .block16");
  c.when(f.kind != MmaKind::mxf8f6f4 && bits_at(bits, 31, 1), "K of 96 (bit 31) needs sm_103a, which is not emulated");
  c.when(f.kind == MmaKind::mxf8f6f4 && bits_at(bits, 31, 1), "bit 31 must be 0");
  for (unsigned id : {i.scale_a_id, i.scale_b_id})
    c.when((f.scales == 2 && id % 2) || (f.scales == 4 && id != 0),
           "scale id " + std::to_string(id) + "; with " + std::to_string(f.scales) + " scales a row it is " +
               (f.scales == 2 ? "0 or 2" : "0"));
}

} // namespace

InstructionDescriptor InstructionDescriptor::decode(uint32_t bits, const MmaForm &f, std::string &wrong) {
  Complaint c(wrong);
  InstructionDescriptor i;
  bool fp4 = f.kind == MmaKind::mxf4 || f.kind == MmaKind::mxf4nvf4;
  unsigned code_a = bits_at(bits, 7, 3), code_b = fp4 ? bits_at(bits, 10, 2) : bits_at(bits, 10, 3);
  int a = element_of(f.kind, code_a), b = element_of(f.kind, code_b);
  c.when(a < 0, "type code " + std::to_string(code_a) + " of A is none of the kind's");
  c.when(b < 0, "type code " + std::to_string(code_b) + " of B is none of the kind's");
  i.a = static_cast<E>(a < 0 ? 0 : a);
  i.b = static_cast<E>(b < 0 ? 0 : b);
  i.negate_a = bits_at(bits, 13, 1);
  i.negate_b = bits_at(bits, 14, 1);
  i.mn_major_a = bits_at(bits, 15, 1);
  i.mn_major_b = bits_at(bits, 16, 1);
  i.n = bits_at(bits, 17, 6) << 3;
  i.m = f.scaled() ? bits_at(bits, 27, 2) << 7 : bits_at(bits, 24, 5) << 4;
  i.k = dense_k(f.kind) * (f.sparse ? 2 : 1);
  c.when(f.sparse != (bits_at(bits, 2, 1) != 0), f.sparse ? "bit 2 (sparse) is 0 in an instruction with .sp"
                                                          : "bit 2 (sparse) is 1 in an instruction without .sp");
  if (f.scaled()) {
    decode_scales(i, bits, f, c);
  } else {
    unsigned d = bits_at(bits, 4, 2);
    i.d = static_cast<TensorResult>(d > 2 ? 0 : d);
    i.sparsity_selector = bits_at(bits, 0, 2);
    i.saturate = bits_at(bits, 3, 1);
    i.max_shift = bits_at(bits, 30, 2) == 0 ? 0 : 4u << bits_at(bits, 30, 2);
    c.when(bits_at(bits, 23, 1) || bits_at(bits, 29, 1) || bits_at(bits, 6, 1), "bits 6, 23 and 29 must be 0");
    c.when(i.saturate && f.kind != MmaKind::i8, "bit 3 (saturate) is for .kind::i8");
    bool selects = f.kind == MmaKind::f16 || f.kind == MmaKind::tf32;
    c.when(f.sparse && i.sparsity_selector != 0 && !selects, "the sparsity selector must be 0 with this kind");
    check_result(i, f, d, c);
  }
  check_shape(i, f, c);
  check_major(i, f, c);
  return i;
}

} // namespace tegula::emulator
