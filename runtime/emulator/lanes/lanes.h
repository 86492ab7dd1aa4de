// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handlers that are one loop over 32 lanes, by name: "add.u32", "fma.ftz.f32". The files beside this one are compiled
// for two instruction sets; the registry takes the better one that the machine has.
#pragma once

#include "runtime/emulator/program/inst.h"

namespace tegula::emulator {

struct NamedHandler {
  const char *name;
  Handler run;
};

struct HandlerTable {
  const NamedHandler *rows;
  size_t count;
};

/// D (rows x n, f32) += A (rows x k) · B (k x n); ld* are row lengths in elements.
using ProductF32 = void (*)(float *d, size_t ldd, const float *a, size_t lda, const float *b, size_t ldb, unsigned rows,
                            unsigned n, unsigned k);

struct LaneTables {
  HandlerTable integer, bits, real, directed, half, convert, compare;
  ProductF32 product;
};

} // namespace tegula::emulator
