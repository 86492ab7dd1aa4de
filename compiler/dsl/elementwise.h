// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic, comparisons and functions, element by element, on Tile, Scalar and Index.
//
// Operands of one operation have the same dtype (cast() changes it); C++ numbers take the other side's. A Scalar or an
// Index meets every element of a Tile. A vector meets a matrix along the one dim whose extent is its length; where both
// dims have that extent, per_row() or per_column() says which. NaN wins in max and min.
#pragma once

#include <type_traits>

#include "compiler/dsl/values.h"

namespace tegula::dsl {

template <typename T>
concept Number = std::is_arithmetic_v<T>;

/// A vector that says along which dim of a matrix it goes.
struct Oriented {
  Tile vector;
  int dim;
};

/// One value a row: `x - per_row(reduce_max(x, 1))`.
[[nodiscard]] inline Oriented per_row(const Tile &vector) { return {vector, 0}; }
/// One value a column: `acc + per_column(load(bias.tile(j)))`.
[[nodiscard]] inline Oriented per_column(const Tile &vector) { return {vector, 1}; }

/// An operand on its way into an operation, with the place in the user's sources that it was written at.
struct Operand {
  enum class Kind { tile, scalar, index, integer, real };
  Kind kind;
  const Cell *cell = nullptr;
  int64_t integer = 0;
  double real = 0;
  int dim = -1; // Oriented: the dim that the vector goes along
  Where where;
};

struct TileOperand : Operand {
  TileOperand(const Tile &tile, Where w = Where::current()) : Operand{Kind::tile, &tile, 0, 0, -1, w} {}
  TileOperand(const Oriented &o, Where w = Where::current()) : Operand{Kind::tile, &o.vector, 0, 0, o.dim, w} {}
};
struct ScalarOperand : Operand {
  ScalarOperand(const Scalar &scalar, Where w = Where::current()) : Operand{Kind::scalar, &scalar, 0, 0, -1, w} {}
};
struct IndexOperand : Operand {
  IndexOperand(const Index &index, Where w = Where::current()) : Operand{Kind::index, &index, 0, 0, -1, w} {}
};
struct NumberOperand : Operand {
  template <Number T>
  NumberOperand(T number, Where w = Where::current())
      : Operand{std::is_integral_v<T> ? Kind::integer : Kind::real,
                nullptr,
                std::is_integral_v<T> ? static_cast<int64_t>(number) : 0,
                static_cast<double>(number),
                -1,
                w} {}
};
struct IntegerOperand : Operand {
  template <std::integral T>
  IntegerOperand(T number, Where w = Where::current())
      : Operand{Kind::integer, nullptr, static_cast<int64_t>(number), static_cast<double>(number), -1, w} {}
};
/// What meets a Tile from the other side.
struct UniformOperand : Operand {
  UniformOperand(const Scalar &scalar, Where w = Where::current()) : Operand{ScalarOperand(scalar, w)} {}
  UniformOperand(const Index &index, Where w = Where::current()) : Operand{IndexOperand(index, w)} {}
  template <Number T> UniformOperand(T number, Where w = Where::current()) : Operand{NumberOperand(number, w)} {}
};
/// What meets a Scalar from the other side.
struct WordOperand : Operand {
  WordOperand(const Index &index, Where w = Where::current()) : Operand{IndexOperand(index, w)} {}
  template <Number T> WordOperand(T number, Where w = Where::current()) : Operand{NumberOperand(number, w)} {}
};
/// Anything: the arms of a select.
struct AnyOperand : Operand {
  AnyOperand(const Tile &tile, Where w = Where::current()) : Operand{TileOperand(tile, w)} {}
  AnyOperand(const Oriented &vector, Where w = Where::current()) : Operand{TileOperand(vector, w)} {}
  AnyOperand(const Scalar &scalar, Where w = Where::current()) : Operand{ScalarOperand(scalar, w)} {}
  AnyOperand(const Index &index, Where w = Where::current()) : Operand{IndexOperand(index, w)} {}
  template <Number T> AnyOperand(T number, Where w = Where::current()) : Operand{NumberOperand(number, w)} {}
};

enum class Binary { add, sub, mul, div, rem, max, min, eq, ne, lt, le, gt, ge, conj, disj, xor_ };
enum class Unary { neg, not_, exp, exp2, log, log2, sqrt, rsqrt, tanh, erf, abs, floor, ceil, sin, cos };

/// The functions behind the operators.
[[nodiscard]] Tile tile_binary(Binary op, const Operand &a, const Operand &b);
[[nodiscard]] Scalar scalar_binary(Binary op, const Operand &a, const Operand &b);
[[nodiscard]] Index index_binary(Binary op, const Operand &a, const Operand &b);
[[nodiscard]] Scalar index_compare(Binary op, const Operand &a, const Operand &b);
[[nodiscard]] Tile tile_unary(Unary op, const Operand &a);
[[nodiscard]] Scalar scalar_unary(Unary op, const Operand &a);
[[nodiscard]] Index index_ceildiv(const Operand &a, const Operand &b);

#define TEGULA_DSL_BINARY(symbol, op)                                                                                  \
  [[nodiscard]] inline Tile symbol(TileOperand a, TileOperand b) { return tile_binary(Binary::op, a, b); }             \
  [[nodiscard]] inline Tile symbol(TileOperand a, UniformOperand b) { return tile_binary(Binary::op, a, b); }          \
  [[nodiscard]] inline Tile symbol(UniformOperand a, TileOperand b) { return tile_binary(Binary::op, a, b); }          \
  [[nodiscard]] inline Scalar symbol(ScalarOperand a, ScalarOperand b) { return scalar_binary(Binary::op, a, b); }     \
  [[nodiscard]] inline Scalar symbol(ScalarOperand a, WordOperand b) { return scalar_binary(Binary::op, a, b); }       \
  [[nodiscard]] inline Scalar symbol(WordOperand a, ScalarOperand b) { return scalar_binary(Binary::op, a, b); }

#define TEGULA_DSL_INDEX(symbol, op, Result, function)                                                                 \
  [[nodiscard]] inline Result symbol(IndexOperand a, IndexOperand b) { return function(Binary::op, a, b); }            \
  [[nodiscard]] inline Result symbol(IndexOperand a, IntegerOperand b) { return function(Binary::op, a, b); }          \
  [[nodiscard]] inline Result symbol(IntegerOperand a, IndexOperand b) { return function(Binary::op, a, b); }

TEGULA_DSL_BINARY(operator+, add)
TEGULA_DSL_BINARY(operator-, sub)
TEGULA_DSL_BINARY(operator*, mul)
TEGULA_DSL_BINARY(operator/, div)
TEGULA_DSL_BINARY(operator%, rem)
TEGULA_DSL_BINARY(operator==, eq)
TEGULA_DSL_BINARY(operator!=, ne)
TEGULA_DSL_BINARY(operator<, lt)
TEGULA_DSL_BINARY(operator<=, le)
TEGULA_DSL_BINARY(operator>, gt)
TEGULA_DSL_BINARY(operator>=, ge)
TEGULA_DSL_BINARY(operator&, conj)
TEGULA_DSL_BINARY(operator|, disj)
TEGULA_DSL_BINARY(operator^, xor_)
TEGULA_DSL_BINARY(max, max)
TEGULA_DSL_BINARY(min, min)
// Both sides of && and || are computed, as in any expression on tiles.
TEGULA_DSL_BINARY(operator&&, conj)
TEGULA_DSL_BINARY(operator||, disj)

TEGULA_DSL_INDEX(operator+, add, Index, index_binary)
TEGULA_DSL_INDEX(operator-, sub, Index, index_binary)
TEGULA_DSL_INDEX(operator*, mul, Index, index_binary)
TEGULA_DSL_INDEX(operator/, div, Index, index_binary)
TEGULA_DSL_INDEX(operator%, rem, Index, index_binary)
TEGULA_DSL_INDEX(max, max, Index, index_binary)
TEGULA_DSL_INDEX(min, min, Index, index_binary)
TEGULA_DSL_INDEX(operator==, eq, Scalar, index_compare)
TEGULA_DSL_INDEX(operator!=, ne, Scalar, index_compare)
TEGULA_DSL_INDEX(operator<, lt, Scalar, index_compare)
TEGULA_DSL_INDEX(operator<=, le, Scalar, index_compare)
TEGULA_DSL_INDEX(operator>, gt, Scalar, index_compare)
TEGULA_DSL_INDEX(operator>=, ge, Scalar, index_compare)

#undef TEGULA_DSL_BINARY
#undef TEGULA_DSL_INDEX

/// a / b rounded up.
[[nodiscard]] inline Index ceildiv(IndexOperand a, IndexOperand b) { return index_ceildiv(a, b); }
[[nodiscard]] inline Index ceildiv(IndexOperand a, IntegerOperand b) { return index_ceildiv(a, b); }
[[nodiscard]] inline Index ceildiv(IntegerOperand a, IndexOperand b) { return index_ceildiv(a, b); }

#define TEGULA_DSL_UNARY(symbol, op)                                                                                   \
  [[nodiscard]] inline Tile symbol(TileOperand a) { return tile_unary(Unary::op, a); }                                 \
  [[nodiscard]] inline Scalar symbol(ScalarOperand a) { return scalar_unary(Unary::op, a); }

TEGULA_DSL_UNARY(operator-, neg)
TEGULA_DSL_UNARY(operator!, not_)
TEGULA_DSL_UNARY(exp, exp)
TEGULA_DSL_UNARY(exp2, exp2)
TEGULA_DSL_UNARY(log, log)
TEGULA_DSL_UNARY(log2, log2)
TEGULA_DSL_UNARY(sqrt, sqrt)
TEGULA_DSL_UNARY(rsqrt, rsqrt)
TEGULA_DSL_UNARY(tanh, tanh)
TEGULA_DSL_UNARY(erf, erf)
TEGULA_DSL_UNARY(abs, abs)
TEGULA_DSL_UNARY(floor, floor)
TEGULA_DSL_UNARY(ceil, ceil)
TEGULA_DSL_UNARY(sin, sin)
TEGULA_DSL_UNARY(cos, cos)

#undef TEGULA_DSL_UNARY

/// `mask ? a : b`, element by element; `mask` comes from a comparison (or is a tile of i1). At least one of mask, a and
/// b gives the shape, at least one of a and b the dtype.
[[nodiscard]] Tile select(const Tile &mask, AnyOperand a, AnyOperand b, Where where = Where::current());
[[nodiscard]] Scalar select(const Scalar &condition, const Scalar &a, const Scalar &b, Where where = Where::current());
[[nodiscard]] Index select(const Scalar &condition, const Index &a, const Index &b, Where where = Where::current());

/// The same values in another dtype: floats round to nearest even; float to integer truncates.
[[nodiscard]] Tile cast(const Tile &tile, DType dtype, Where where = Where::current());
[[nodiscard]] Scalar cast(const Scalar &scalar, DType dtype, Where where = Where::current());
[[nodiscard]] Scalar cast(const Index &index, DType dtype, Where where = Where::current());
/// An integer scalar as an Index, as for a length that was read from memory.
[[nodiscard]] Index to_index(const Scalar &scalar, Where where = Where::current());

} // namespace tegula::dsl
