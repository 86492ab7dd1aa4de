// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators and functions on tiles and scalars: whether the operands go together, then one op.
#include "compiler/dsl/elementwise.h"

#include <cmath>

#include <fmt/format.h>

#include "compiler/dsl/broadcasting.h"
#include "compiler/dsl/element_ops.h"
#include "compiler/dsl/element_types.h"

namespace tegula::dsl {
namespace {

using Kind = Operand::Kind;
using Operands = std::vector<const Operand *>;

bool is_typed(const Operand &operand) { return operand.kind == Kind::tile || operand.kind == Kind::scalar; }

/// The dtype that all typed operands have; nothing after an error.
std::optional<DType> common_dtype(BuilderState &state, const Operands &operands, const Where &where) {
  std::optional<DType> dtype;
  for (const Operand *operand : operands) {
    if (!is_typed(*operand))
      continue;
    DType own = BuilderState::dtype_of(*operand->cell);
    if (dtype && *dtype != own) {
      state.error(where,
                  fmt::format("operands are {} and {}; cast one: cast(x, {})", name(*dtype), name(own), name(*dtype)));
      return std::nullopt;
    }
    dtype = own;
  }
  return dtype;
}

/// A C++ number or an Index as a scalar of `dtype`; null after an error.
mlir::Value scalar_of(BuilderState &state, const Operand &operand, DType dtype, const Where &where) {
  mlir::Type type = element_type(state.module->context(), dtype);
  switch (operand.kind) {
  case Kind::integer: return state.number_constant(type, operand.real, operand.integer, where);
  case Kind::real:
    if (is_float(dtype))
      return state.number_constant(type, operand.real, 0, where);
    if (operand.real == std::trunc(operand.real) && std::abs(operand.real) < 9e15)
      return state.number_constant(type, 0, static_cast<int64_t>(operand.real), where);
    state.error(where, fmt::format("{} meets a value of {}, which cannot hold it; cast the other side to f32",
                                   operand.real, name(dtype)));
    return {};
  case Kind::index: {
    mlir::Value value = state.use(operand, where);
    if (!value)
      return {};
    if (is_integral(dtype) && dtype != i1)
      return emit_cast(state.builder, state.location(where), value, s64, dtype, type);
    state.error(where, fmt::format("an index meets a value of {}; write cast(index, {})", name(dtype), name(dtype)));
    return {};
  }
  default: return state.use(operand, where);
  }
}

/// The values of the operands as scalars of one dtype; empty after an error.
std::vector<mlir::Value> scalars(BuilderState &state, const Operands &operands, DType dtype, const Where &where) {
  std::vector<mlir::Value> values;
  for (const Operand *operand : operands)
    if (mlir::Value value = scalar_of(state, *operand, dtype, where))
      values.push_back(value);
  if (values.size() != operands.size())
    values.clear();
  return values;
}

/// The values of the operands as tiles of one shape; those that are uniform are spread over it. `mask` may come first
/// and keeps its dtype. Empty after an error.
std::vector<mlir::Value> tiles(BuilderState &state, const Operands &operands, DType dtype, const Where &where,
                               const Tile *mask = nullptr) {
  std::vector<Meeting> meeting;
  bool complete = true;
  auto join = [&](mlir::Value value, int dim) {
    complete &= static_cast<bool>(value);
    meeting.push_back({value, dim});
  };
  if (mask)
    join(state.use(*mask, where, "mask"), -1);
  for (const Operand *operand : operands)
    if (operand->kind == Kind::tile)
      join(state.use(*operand, where), operand->dim);
  if (!complete || !broadcast_together(state, meeting, where))
    return {};
  auto shape = llvm::cast<mlir::RankedTensorType>(meeting.front().value.getType()).getShape();
  auto type = mlir::RankedTensorType::get(shape, element_type(state.module->context(), dtype));
  std::vector<mlir::Value> values;
  size_t next = 0;
  if (mask)
    values.push_back(meeting[next++].value);
  for (const Operand *operand : operands) {
    if (operand->kind == Kind::tile) {
      values.push_back(meeting[next++].value);
      continue;
    }
    mlir::Value scalar = scalar_of(state, *operand, dtype, where);
    if (!scalar)
      return {};
    bool literal = operand->kind == Kind::integer || operand->kind == Kind::real;
    auto constant = literal ? scalar.getDefiningOp<mlir::arith::ConstantOp>() : nullptr;
    if (!constant) {
      values.push_back(tile::SplatOp::create(state.builder, state.location(where), type, scalar));
      continue;
    }
    auto dense = mlir::DenseElementsAttr::get(type, mlir::Attribute(constant.getValue()));
    values.push_back(mlir::arith::ConstantOp::create(state.builder, constant.getLoc(), dense));
    constant.erase();
  }
  return values;
}

bool any_failed(const Operands &operands) {
  return llvm::any_of(operands, [](const Operand *o) { return o->cell && BuilderState::failed(*o->cell); });
}

bool report(BuilderState &state, const char *fault, DType dtype, const Where &where) {
  if (fault)
    state.error(where, fmt::format("operands are {}: {}", name(dtype), fault));
  return fault;
}

} // namespace

Tile tile_binary(Binary op, const Operand &a, const Operand &b) {
  BuilderState *state = state_of({a.cell, b.cell});
  if (!state)
    return {};
  const Where &where = a.where;
  Operands operands = {&a, &b};
  if (any_failed(operands))
    return state->failed_tile();
  std::optional<DType> dtype = common_dtype(*state, operands, where);
  if (!dtype || report(*state, binary_fault(op, *dtype), *dtype, where))
    return state->failed_tile();
  std::vector<mlir::Value> values = tiles(*state, operands, *dtype, where);
  if (values.empty())
    return state->failed_tile(*dtype);
  mlir::Value result = emit_binary(state->builder, state->location(where), op, *dtype, values[0], values[1]);
  return state->tile(result, is_comparison(op) ? i1 : *dtype);
}

Scalar scalar_binary(Binary op, const Operand &a, const Operand &b) {
  BuilderState *state = state_of({a.cell, b.cell});
  if (!state)
    return {};
  const Where &where = a.where;
  Operands operands = {&a, &b};
  if (any_failed(operands))
    return state->failed_scalar();
  std::optional<DType> dtype = common_dtype(*state, operands, where);
  if (!dtype || report(*state, binary_fault(op, *dtype), *dtype, where))
    return state->failed_scalar();
  std::vector<mlir::Value> values = scalars(*state, operands, *dtype, where);
  if (values.empty())
    return state->failed_scalar(*dtype);
  mlir::Value result = emit_binary(state->builder, state->location(where), op, *dtype, values[0], values[1]);
  return state->scalar(result, is_comparison(op) ? i1 : *dtype);
}

//===--- functions ---===//

Tile tile_unary(Unary op, const Operand &a) {
  BuilderState *state = state_of({a.cell});
  if (!state)
    return {};
  DType dtype = BuilderState::dtype_of(*a.cell);
  mlir::Value value = state->use(a, a.where);
  if (!value || report(*state, unary_fault(op, dtype), dtype, a.where))
    return state->failed_tile(dtype);
  return state->tile(emit_unary(state->builder, state->location(a.where), op, dtype, value), dtype);
}

Scalar scalar_unary(Unary op, const Operand &a) {
  BuilderState *state = state_of({a.cell});
  if (!state)
    return {};
  DType dtype = BuilderState::dtype_of(*a.cell);
  mlir::Value value = state->use(a, a.where);
  if (!value || report(*state, unary_fault(op, dtype), dtype, a.where))
    return state->failed_scalar(dtype);
  return state->scalar(emit_unary(state->builder, state->location(a.where), op, dtype, value), dtype);
}

/// Whether the condition of a select is one.
static bool check_condition(BuilderState &state, const Cell &condition, const Where &where) {
  if (BuilderState::failed(condition))
    return false;
  DType dtype = BuilderState::dtype_of(condition);
  if (dtype == i1 || !BuilderState::value_of(condition))
    return true;
  state.error(where, fmt::format("the condition is {}; compare it with something first", name(dtype)));
  return false;
}

Tile select(const Tile &mask, AnyOperand a, AnyOperand b, Where where) {
  BuilderState *state = state_of({&mask, a.cell, b.cell});
  if (!state)
    return {};
  Operands operands = {&a, &b};
  if (!check_condition(*state, mask, where) || any_failed(operands))
    return state->failed_tile();
  if (!is_typed(a) && !is_typed(b)) {
    state->error(where, "neither arm of select() has a dtype; write full(dtype, shape, value) for one");
    return state->failed_tile();
  }
  std::optional<DType> dtype = common_dtype(*state, operands, where);
  if (!dtype)
    return state->failed_tile();
  std::vector<mlir::Value> values = tiles(*state, operands, *dtype, where, &mask);
  if (values.empty())
    return state->failed_tile(*dtype);
  return state->tile(
      mlir::arith::SelectOp::create(state->builder, state->location(where), values[0], values[1], values[2]), *dtype);
}

Scalar select(const Scalar &condition, const Scalar &a, const Scalar &b, Where where) {
  BuilderState *state = state_of({&condition, &a, &b});
  if (!state)
    return {};
  ScalarOperand x(a, where), y(b, where);
  Operands operands = {&x, &y};
  if (!check_condition(*state, condition, where) || any_failed(operands))
    return state->failed_scalar();
  std::optional<DType> dtype = common_dtype(*state, operands, where);
  mlir::Value mask = state->use(condition, where, "condition");
  std::vector<mlir::Value> values = dtype ? scalars(*state, operands, *dtype, where) : std::vector<mlir::Value>{};
  if (!mask || values.empty())
    return state->failed_scalar();
  return state->scalar(
      mlir::arith::SelectOp::create(state->builder, state->location(where), mask, values[0], values[1]), *dtype);
}

Index select(const Scalar &condition, const Index &a, const Index &b, Where where) {
  BuilderState *state = state_of({&condition, &a, &b});
  if (!state)
    return {};
  if (!check_condition(*state, condition, where))
    return state->failed_index();
  mlir::Value mask = state->use(condition, where, "condition");
  mlir::Value x = state->use_index(a, where), y = state->use_index(b, where);
  if (!mask || !x || !y)
    return state->failed_index();
  return state->index(mlir::arith::SelectOp::create(state->builder, state->location(where), mask, x, y));
}

} // namespace tegula::dsl
