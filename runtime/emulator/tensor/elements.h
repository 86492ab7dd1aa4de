// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The element types of tcgen05.mma, and the 16 bytes of shared memory or the words of tensor memory that hold them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tegula::emulator {

enum class TensorElement : uint8_t { f16, bf16, tf32, u8, s8, e4m3, e5m2, e2m3, e3m2, e2m1, e2m1_packed };

[[nodiscard]] const char *name_of(TensorElement e);
/// Elements that 16 bytes hold: 4 to 32. Types of 4 and 6 bits are padded to 16 in 16 bytes, unless packed.
[[nodiscard]] unsigned elements_in_16_bytes(TensorElement e);
[[nodiscard]] inline bool is_narrow(TensorElement e) {
  return e == TensorElement::e2m1 || e == TensorElement::e2m3 || e == TensorElement::e3m2;
}

/// The elements of 16 bytes of shared memory. Narrow types lie packed at the front (PTX ISA 9.0, "Packing formats":
/// 8 bytes of 4 bits or 12 bytes of 6 bits, then padding).
void unpack_shared(const std::byte *from, TensorElement e, float *to);
/// The elements of 16 bytes of tensor memory. A narrow type has a byte each: e2m1 in bits 5..2, 6-bit types in 6..1.
void unpack_tensor(const std::byte *from, TensorElement e, float *to);
/// tcgen05.cp's expansion of 16 bytes from the shared form of a type of 4 or 6 bits to the form in tensor memory.
void expand_narrow(const std::byte *from, unsigned bits, std::byte *to);

} // namespace tegula::emulator
