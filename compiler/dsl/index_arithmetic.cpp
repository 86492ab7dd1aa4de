// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on indices: done at once where both sides are known, else by ops of arith.
#include "compiler/dsl/elementwise.h"

#include "compiler/dsl/builder_state.h"
#include "compiler/dsl/element_ops.h"

namespace tegula::dsl {

using Kind = Operand::Kind;

static std::optional<int64_t> constant(const Operand &operand) {
  if (operand.kind == Kind::integer)
    return operand.integer;
  return BuilderState::constant_of(*operand.cell);
}

/// Of two constants, the result when the kernel is built; nothing where it would overflow or divide by 0.
static std::optional<int64_t> fold(Binary op, int64_t a, int64_t b) {
  int64_t result = 0;
  switch (op) {
  case Binary::add: return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  case Binary::sub: return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  case Binary::mul: return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  case Binary::div: return b == 0 || b == -1 ? std::nullopt : std::optional(a / b);
  case Binary::rem: return b == 0 || b == -1 ? std::nullopt : std::optional(a % b);
  case Binary::max: return std::max(a, b);
  case Binary::min: return std::min(a, b);
  default: return std::nullopt;
  }
}

static mlir::Value index_value(BuilderState &state, const Operand &operand, const Where &where) {
  return operand.kind == Kind::integer ? state.index_constant(operand.integer) : state.use(operand, where);
}

/// The two sides as values; empty after an error.
static std::vector<mlir::Value> index_values(BuilderState &state, const Operand &a, const Operand &b) {
  mlir::Value x = index_value(state, a, a.where), y = index_value(state, b, a.where);
  return x && y ? std::vector<mlir::Value>{x, y} : std::vector<mlir::Value>{};
}

/// Dividing by a constant 0 is said at once.
static bool divides_by_zero(BuilderState &state, const Operand &b, const Where &where) {
  if (constant(b) != 0)
    return false;
  state.error(where, "divides an index by 0");
  return true;
}

Index index_binary(Binary op, const Operand &a, const Operand &b) {
  std::optional<int64_t> x = constant(a), y = constant(b);
  if (x && y)
    if (std::optional<int64_t> folded = fold(op, *x, *y))
      return *folded;
  BuilderState *state = state_of({a.cell, b.cell});
  if (!state)
    return {};
  if ((op == Binary::div || op == Binary::rem) && divides_by_zero(*state, b, a.where))
    return state->failed_index();
  std::vector<mlir::Value> values = index_values(*state, a, b);
  if (values.empty())
    return state->failed_index();
  return state->index(emit_binary(state->builder, state->location(a.where), op, s64, values[0], values[1]));
}

Scalar index_compare(Binary op, const Operand &a, const Operand &b) {
  BuilderState *state = state_of({a.cell, b.cell});
  if (!state)
    return {};
  std::vector<mlir::Value> values = index_values(*state, a, b);
  if (values.empty())
    return state->failed_scalar(i1);
  return state->scalar(emit_binary(state->builder, state->location(a.where), op, s64, values[0], values[1]), i1);
}

Index index_ceildiv(const Operand &a, const Operand &b) {
  std::optional<int64_t> x = constant(a), y = constant(b);
  if (x && y && *x >= 0 && *y > 0)
    return *x / *y + (*x % *y != 0);
  BuilderState *state = state_of({a.cell, b.cell});
  if (!state)
    return {};
  if (divides_by_zero(*state, b, a.where))
    return state->failed_index();
  std::vector<mlir::Value> values = index_values(*state, a, b);
  if (values.empty())
    return state->failed_index();
  return state->index(mlir::arith::CeilDivSIOp::create(state->builder, state->location(a.where), values[0], values[1]));
}

} // namespace tegula::dsl
