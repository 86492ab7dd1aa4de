// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A matrix in shared memory as tcgen05's 64-bit descriptor tells it (PTX ISA 9.0, "Shared memory descriptor" and
// "Canonical Layouts"). wgmma's descriptor differs in its fixed bits and in the codes of the swizzle.
#pragma once

#include <cstdint>
#include <string>

namespace tegula::emulator {

enum class TensorSwizzle : uint8_t { none, b128_atom32, b128, b64, b32 };

struct MatrixDescriptor {
  uint32_t start = 0, lead = 0, stride = 0; // bytes
  TensorSwizzle swizzle = TensorSwizzle::none;

  explicit MatrixDescriptor(uint64_t bits);
  /// What in the bits is wrong or not emulated; empty if nothing.
  static std::string complaint(uint64_t bits);

  [[nodiscard]] uint32_t span() const; // bytes of a row of the pattern; 16 without swizzle
  /// Place of the 16 bytes that hold row `mn` from byte `kb` of K on; K-major.
  [[nodiscard]] uint32_t k_major(unsigned mn, unsigned kb) const;
  /// Place of the 16 bytes that hold row `k` from byte `mb` of M or N on; MN-major.
  [[nodiscard]] uint32_t mn_major(unsigned k, unsigned mb) const;

private:
  [[nodiscard]] uint32_t place(uint32_t address) const;
};

} // namespace tegula::emulator
