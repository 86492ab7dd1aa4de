// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix fragments of a warp: which lane and register holds which element (PTX ISA, "Matrix fragments for mma" and
// "wgmma register fragments"; a warp of wgmma has the layout of mma's 16 rows).
#pragma once

#include "runtime/emulator/program/inst.h"
#include "runtime/emulator/ptx/types.h"

namespace tegula::emulator {

/// An element of `bits` as a number; integers keep their value.
[[nodiscard]] float element_value(const std::byte *at, ptx::Type type);
[[nodiscard]] unsigned element_bytes(ptx::Type type); // tf32 has 4

/// `count` elements of a type at `from`, to floats that lie `step` apart.
void widen(const std::byte *from, ptx::Type type, unsigned count, float *to, size_t step);

/// A of 16 rows: 2 or 4 registers, e elements each; k = 4e·(j/2) + e·(l%4) + h, row = l/4 + 8·(j%2).
void read_a_fragment(const Exec &x, const Slot *regs, unsigned count, ptx::Type type, float *a, size_t lda);
/// B of 8 columns: 1 or 2 registers; k = 4e·j + e·(l%4) + h, column l/4.
void read_b_fragment(const Exec &x, const Slot *regs, unsigned count, ptx::Type type, float *b, size_t ldb);
/// D, 16 rows by n: f32 (or s32 as bits) register i: row l/4 + 8·((i/2)%2), column 8·(i/4) + 2·(l%4) + i%2. f16 in pairs.
void read_d_fragment(const Exec &x, const Slot *regs, unsigned n, ptx::Type type, float *d, size_t ldd);
void write_d_fragment(const Exec &x, const Slot *regs, unsigned n, ptx::Type type, const float *d, size_t ldd);

} // namespace tegula::emulator
