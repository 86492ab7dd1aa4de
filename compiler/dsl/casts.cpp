// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changes of dtype, of tiles, scalars and indices.
#include "compiler/dsl/elementwise.h"

#include <fmt/format.h>

#include "compiler/dsl/builder_state.h"
#include "compiler/dsl/element_ops.h"
#include "compiler/dsl/element_types.h"

namespace tegula::dsl {

Tile cast(const Tile &tile, DType dtype, Where where) {
  BuilderState *state = state_of({&tile});
  if (!state)
    return {};
  mlir::Value value = state->use(tile, where, "tile");
  if (!value)
    return state->failed_tile(dtype);
  mlir::RankedTensorType type = state->tile_type(dtype, tile.shape(), where);
  if (!type)
    return state->failed_tile(dtype);
  return state->tile(emit_cast(state->builder, state->location(where), value, tile.dtype(), dtype, type), dtype);
}

Scalar cast(const Scalar &scalar, DType dtype, Where where) {
  BuilderState *state = state_of({&scalar});
  if (!state)
    return {};
  mlir::Value value = state->use(scalar, where, "scalar");
  mlir::Type type = element_type(state->module->context(), dtype);
  if (!value || !type)
    return state->failed_scalar(dtype);
  return state->scalar(emit_cast(state->builder, state->location(where), value, scalar.dtype(), dtype, type), dtype);
}

Scalar cast(const Index &index, DType dtype, Where where) {
  BuilderState *state = state_of({&index});
  if (!state)
    return {};
  mlir::Value value = state->use_index(index, where);
  mlir::Type type = element_type(state->module->context(), dtype);
  if (!value || !type)
    return state->failed_scalar(dtype);
  return state->scalar(emit_cast(state->builder, state->location(where), value, s64, dtype, type), dtype);
}

Index to_index(const Scalar &scalar, Where where) {
  BuilderState *state = state_of({&scalar});
  if (!state)
    return {};
  mlir::Value value = state->use(scalar, where, "scalar");
  if (value && is_float(scalar.dtype())) {
    state->error(where,
                 fmt::format("an index cannot be made of {}; cast it to an integer first", name(scalar.dtype())));
    return state->failed_index();
  }
  if (!value)
    return state->failed_index();
  return state->index(
      emit_cast(state->builder, state->location(where), value, scalar.dtype(), s64, state->builder.getIndexType()));
}

} // namespace tegula::dsl
