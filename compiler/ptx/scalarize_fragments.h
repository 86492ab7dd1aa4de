// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Splits vectors into registers before code generation, in time linear in the code. LLVM's own Scalarizer does the same
// but is quadratic in the length of a chain of insertions: 200 ms for one GEMM, where this takes 2.
//
// A fragment of 128 f32 is a vector in LLVM IR: loop-carried, computed on element by element, put together from the
// results of one instruction and taken apart for the next. Left as it is, code generation would build it in memory or
// move it about. Here each vector becomes its elements, so that only scalars and the registers of an instruction remain.
// Elements narrower than 32 bits travel in the register that holds them, where they came in one: a bf16 fragment that
// is cut into slices and stored is never taken apart.
#ifndef TEGULA_COMPILER_PTX_SCALARIZE_FRAGMENTS_H
#define TEGULA_COMPILER_PTX_SCALARIZE_FRAGMENTS_H

namespace llvm {
class Function;
}

namespace tegula {

/// Rewrites all phis, arithmetic, casts, comparisons, selects, shuffles, insertions and extractions of fixed vectors.
/// Loads, stores, inline assembly and target intrinsics keep their vectors (of a few registers).
void scalarize_fragments(llvm::Function &function);

} // namespace tegula

#endif // TEGULA_COMPILER_PTX_SCALARIZE_FRAGMENTS_H
