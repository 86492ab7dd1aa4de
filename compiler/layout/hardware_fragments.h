// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fragments that instructions fix, and those that we choose for tiles that only pass through registers.
// Shapes are row-major in meaning: dimension 0 is m, dimension 1 is n or k.
#pragma once

#include "compiler/layout/fragment.h"

namespace tegula::layout {

/// D of wgmma.m64nNk*: 32-bit elements, also 16-bit D and the sums of 8-bit products. `warpgroups` share the rows out
/// evenly, each a multiple of 64: blocks of 64 rows are products of their own, one after the other in the registers.
/// \source PTX ISA 9.0, wgmma.mma_async, register fragments of D; measured
Fragment wgmma_accumulator(int64_t rows, int64_t columns, int64_t warpgroups = 1);

/// A of wgmma in registers, rows as in the accumulator, `k` of 16, 32 or 8 (32 bytes). Step j of k has the elements
/// [j * e, (j+1) * e) of a block of rows, e = 8, 16, 4 elements a thread: 4 registers.
/// \source PTX ISA 9.0, wgmma.mma_async, register fragments of A; CUTLASS cute/atom/mma_traits_sm90_gmma.hpp
Fragment wgmma_a_16bit(int64_t rows, int64_t k, int64_t warpgroups = 1);
Fragment wgmma_a_8bit(int64_t rows, int64_t k, int64_t warpgroups = 1);
Fragment wgmma_a_tf32(int64_t rows, int64_t k, int64_t warpgroups = 1);

/// tcgen05.ld/st.32x32b of a 128-lane tile: a thread is a lane of tensor memory, its registers are the columns.
/// \source PTX ISA 9.0, tcgen05.ld
Fragment tmem_32x32b(int64_t columns);

/// A tile that is only loaded, computed on element by element and stored: lanes run along `unit_dim` in vectors of up
/// to `vector_elements` (the elements of 16 bytes, as a rule), then over the other dimensions, last first; warps take
/// blocks of what remains. Any shape: extents need not be powers of two. What does not divide goes to registers, and
/// lanes or warps that find nothing to hold replicate. Threads come before vectors: a vector is narrowed where a wider
/// one would leave lanes or warps without elements of their own.
Fragment blocked(const Shape &shape, int unit_dim, int64_t vector_elements, int64_t warps);

/// Every thread of `warps` warps holds the whole tile, last dimension fastest.
Fragment replicated(const Shape &shape, int64_t warps);

} // namespace tegula::layout
