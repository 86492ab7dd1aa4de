// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What happens to a sum before it is stored: act(alpha · sum + beta · C + bias), in f32. Shared by the product's kernel
// and by the one that adds up the parts of K.
#pragma once

#include "kernels/gemm/problem.h"
#include "tegula/dsl.h"

namespace tegula {

/// Extents of a tensor, as dims of the kernel.
struct MatrixDims {
  dsl::Index batch, rows, columns;
};

class Epilogue {
public:
  /// Declares alpha, and beta, C and bias where the problem has them.
  Epilogue(dsl::KernelBuilder &k, const GemmProblem &p, const MatrixDims &dims);

  /// `sum` is tile (i, j) of product b, counted in tiles of its own shape.
  [[nodiscard]] dsl::Tile apply(dsl::Tile sum, const dsl::Index &b, const dsl::Index &i, const dsl::Index &j) const;

private:
  GemmProblem p_;
  dsl::Scalar alpha_, beta_;
  dsl::Global c_, bias_;
};

/// Tile (i, j) of product b of a tensor whose rows and columns may be exchanged and which may lack the batch.
[[nodiscard]] dsl::View tile_of(const dsl::Global &tensor, bool batched, bool transposed, const dsl::Index &b,
                                const dsl::Index &i, const dsl::Index &j);

/// A tensor [rows, columns], or [columns, rows] if `transposed`, with the batch in front where there is one.
[[nodiscard]] dsl::Global declare(dsl::KernelBuilder &k, std::string_view name, DType dtype, bool batched,
                                  bool transposed, const MatrixDims &dims, dsl::GlobalOptions options);

} // namespace tegula
