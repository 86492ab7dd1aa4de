// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the 32-bit instruction descriptor of tcgen05.mma says, and whether that fits the instruction (PTX ISA 9.0,
// "Instruction descriptor" and "Matrix Shape").
#pragma once

#include "runtime/emulator/tensor/elements.h"

#include <string>

namespace tegula::emulator {

enum class MmaKind : uint8_t { f16, tf32, f8f6f4, i8, mxf8f6f4, mxf4, mxf4nvf4 };
enum class TensorResult : uint8_t { f16, f32, s32 };

/// What the instruction itself says.
struct MmaForm {
  MmaKind kind = MmaKind::f16;
  unsigned cta_group = 1;
  bool weight_stationary = false, sparse = false;
  bool a_in_tensor_memory = false;
  unsigned scales = 0; // scale factors a row and K step: 1, 2 or 4; 0 without block scaling

  [[nodiscard]] bool scaled() const { return kind >= MmaKind::mxf8f6f4; }
};

struct InstructionDescriptor {
  unsigned m = 0, n = 0, k = 0; // k of the whole product, sparse zeros included
  TensorElement a = TensorElement::f16, b = TensorElement::f16;
  TensorResult d = TensorResult::f32;
  bool negate_a = false, negate_b = false, mn_major_a = false, mn_major_b = false;
  bool saturate = false;
  unsigned sparsity_selector = 0;
  unsigned max_shift = 0; // columns, of .ws
  bool scale_ue8m0 = true;
  unsigned scale_a_id = 0, scale_b_id = 0;

  /// \param wrong  everything that does not fit, empty if all does.
  static InstructionDescriptor decode(uint32_t bits, const MmaForm &form, std::string &wrong);
};

} // namespace tegula::emulator
