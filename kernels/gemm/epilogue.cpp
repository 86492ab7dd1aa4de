// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The epilogue's formula.
#include "kernels/gemm/epilogue.h"

#include <numbers>

namespace tegula {

using namespace dsl;

namespace {

Tile activate(Activation activation, const Tile &x) {
  switch (activation) {
  case Activation::none: return x;
  case Activation::relu: return max(x, 0.0);
  case Activation::gelu: return 0.5 * x * (1.0 + erf(x * (1 / std::numbers::sqrt2)));
  case Activation::silu: return x / (1.0 + exp(-x));
  }
  return x;
}

} // namespace

View tile_of(const Global &tensor, bool batched, bool transposed, const Index &b, const Index &i, const Index &j) {
  const Index &row = transposed ? j : i, &column = transposed ? i : j;
  return batched ? tensor.tile(b, row, column) : tensor.tile(row, column);
}

Global declare(KernelBuilder &k, std::string_view name, DType dtype, bool batched, bool transposed,
               const MatrixDims &dims, GlobalOptions options) {
  const Index &rows = transposed ? dims.columns : dims.rows, &columns = transposed ? dims.rows : dims.columns;
  return batched ? k.global(name, dtype, {dims.batch, rows, columns}, options)
                 : k.global(name, dtype, {rows, columns}, options);
}

Epilogue::Epilogue(KernelBuilder &k, const GemmProblem &p, const MatrixDims &dims) : p_(p) {
  alpha_ = k.scalar("alpha", f32);
  if (p.c != CAccess::none) {
    beta_ = k.scalar("beta", f32);
    const int unit = p.c == CAccess::rows ? GlobalOptions::kLast : GlobalOptions::kNone;
    c_ = declare(k, "C", p.out, p.c_batched, p.d_transposed, dims, {.unit = unit});
  }
  if (p.bias != BiasAxis::none) {
    const Index &length = p.bias == BiasAxis::column ? dims.columns : dims.rows;
    const GlobalOptions options{.unit = p.bias_strided ? GlobalOptions::kNone : GlobalOptions::kLast};
    bias_ = p.bias_batched ? k.global("bias", p.out, {dims.batch, length}, options)
                           : k.global("bias", p.out, {length}, options);
  }
}

Tile Epilogue::apply(Tile sum, const Index &b, const Index &i, const Index &j) const {
  const int64_t rows = sum.shape()[0], columns = sum.shape()[1];
  Tile x = alpha_ * sum;
  if (p_.c != CAccess::none) {
    const View tile = tile_of(c_, p_.c_batched, p_.d_transposed, b, i, j);
    const Tile c = p_.d_transposed ? load(tile, {columns, rows}).T() : load(tile, {rows, columns});
    x = x + beta_ * cast(c, f32);
  }
  if (p_.bias != BiasAxis::none) {
    const bool by_column = p_.bias == BiasAxis::column;
    const Index &at = by_column ? j : i;
    const Tile bias =
        cast(load(p_.bias_batched ? bias_.tile(b, at) : bias_.tile(at), {by_column ? columns : rows}), f32);
    x = x + (by_column ? per_column(bias) : per_row(bias));
  }
  return activate(p_.activation, x);
}

} // namespace tegula
