// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies between tiles in memory, loads into registers and stores from them.
#include <fmt/format.h>

#include "compiler/dsl/builder_state.h"
#include "compiler/dsl/element_types.h"
#include "dialects/Tile/IR/ShapeText.h"

namespace tegula::dsl {
namespace {

BuilderState *state_of_view(const View &view) {
  const View::Content *content = BuilderState::content(view);
  return content ? content->state : nullptr;
}

Shape shape_of(mlir::Value value) { return Shape(llvm::cast<mlir::ShapedType>(value.getType()).getShape().vec()); }
mlir::Type element_of(mlir::Value value) { return llvm::cast<mlir::ShapedType>(value.getType()).getElementType(); }

/// A note at the place where a view got its shape, with a way to make it fit.
std::vector<Note> shape_note(const View &view, const Shape &wanted) {
  const View::Content *content = BuilderState::content(view);
  if (!content || content->shaped == Place())
    return {};
  return {{content->shaped, fmt::format("the {} got its shape here; give it {{{}}} or narrow the other side",
                                        content->slot ? "slot" : "tile", fmt::join(wanted.extents(), ", "))}};
}

/// Shapes and dtypes of the two ends agree; else an error.
bool check_ends(BuilderState &state, std::string_view call, mlir::Value from, DType from_dtype, mlir::Value to,
                DType to_dtype, const View &destination, const Where &where) {
  size_t before = state.errors.size();
  if (shape_of(from) != shape_of(to))
    state.error(where,
                fmt::format("{}: source is {}, destination is {}; shapes must be equal", call, shape_of(from).text(),
                            shape_of(to).text()),
                shape_note(destination, shape_of(from)));
  if (element_of(from) != element_of(to))
    state.error(where,
                fmt::format("{}: source is {}, destination is {}; dtypes must be equal{}", call, name(from_dtype),
                            name(to_dtype), call == "store" ? fmt::format("; write cast(x, {})", name(to_dtype)) : ""));
  return state.errors.size() == before;
}

bool check_accumulate(BuilderState &state, const StoreOptions &options, mlir::Value to, DType dtype,
                      const Where &where) {
  bool global = llvm::cast<tile::ViewType>(to.getType()).isGlobal();
  bool known = dtype == f32 || dtype == fp16 || dtype == bf16 || dtype == s32;
  if (!options.accumulate || (global && known))
    return true;
  state.error(where, global ? fmt::format("memory does not add {}; it adds f32, fp16, bf16 and s32", name(dtype))
                            : std::string("only global memory accumulates; the destination is in shared memory"));
  return false;
}

tile::CacheHintAttr cache_attribute(BuilderState &state, Cache cache) {
  if (cache == Cache::normal)
    return {};
  return tile::CacheHintAttr::get(&state.module->context(), cache == Cache::evict_first ? tile::CacheHint::evict_first
                                                                                        : tile::CacheHint::evict_last);
}

mlir::UnitAttr unit(BuilderState &state, bool set) { return set ? state.builder.getUnitAttr() : mlir::UnitAttr(); }

/// Values of the two views of a copy, each giving the other its shape where that is open. Null after an error.
std::pair<mlir::Value, mlir::Value> resolve_ends(BuilderState &state, const View &source, const View &destination,
                                                 const Where &where) {
  Shape shape = destination.shape() == Shape() ? source.shape() : destination.shape();
  if (shape == Shape()) // both are open, or an error was reported
    return {state.resolve(source, where), state.resolve(destination, where)};
  return {state.resolve(source, source.shape() == Shape() ? shape : source.shape(), where),
          state.resolve(destination, shape, where)};
}

} // namespace

void copy(const View &source, const View &destination, StoreOptions options, Where where) {
  BuilderState *state = state_of_view(source) ? state_of_view(source) : state_of_view(destination);
  if (!state && !(state = BuilderState::current()))
    return;
  auto [from, to] = resolve_ends(*state, source, destination, where);
  if (!from || !to)
    return;
  if (llvm::cast<tile::ViewType>(from.getType()).isGlobal() && llvm::cast<tile::ViewType>(to.getType()).isGlobal()) {
    state->error(where, "copy: both sides are in global memory; go through a register tile: store(load(a), b)");
    return;
  }
  if (!check_ends(*state, "copy", from, source.dtype(), to, destination.dtype(), destination, where) ||
      !check_accumulate(*state, options, to, destination.dtype(), where))
    return;
  tile::CopyOp::create(state->builder, state->location(where), from, to, unit(*state, options.accumulate),
                       cache_attribute(*state, options.cache));
}

void store(const Tile &source, const View &destination, StoreOptions options, Where where) {
  BuilderState *state = source.state() ? source.state() : state_of_view(destination);
  if (!state && !(state = BuilderState::current()))
    return;
  mlir::Value from = state->use(source, where, "tile");
  if (!from)
    return;
  mlir::Value to = state->resolve(destination, shape_of(from), where);
  if (!to || !check_ends(*state, "store", from, source.dtype(), to, destination.dtype(), destination, where) ||
      !check_accumulate(*state, options, to, destination.dtype(), where))
    return;
  tile::StoreOp::create(state->builder, state->location(where), from, to, unit(*state, options.accumulate),
                        cache_attribute(*state, options.cache));
}

void copy(const Tile &source, const View &destination, StoreOptions options, Where where) {
  store(source, destination, options, where);
}

Tile load(const View &source, const Shape &shape, LoadOptions options, Where where) {
  BuilderState *state = state_of_view(source) ? state_of_view(source) : BuilderState::current();
  if (!state)
    return {};
  mlir::Value from = shape == Shape() ? state->resolve(source, where) : state->resolve(source, shape, where);
  if (!from)
    return state->failed_tile(source.dtype());
  if (shape != Shape() && shape_of(from) != shape) {
    state->error(
        where,
        fmt::format("load: the tile is {}, asked for is {}; shapes must be equal", shape_of(from).text(), shape.text()),
        shape_note(source, shape));
    return state->failed_tile(source.dtype());
  }
  mlir::RankedTensorType type = state->tile_type(source.dtype(), shape_of(from), where);
  if (!type)
    return state->failed_tile(source.dtype());
  mlir::TypedAttr fill;
  if (options.fill != 0) {
    if (!llvm::cast<tile::ViewType>(from.getType()).isGlobal()) {
      state->error(where, "load: fill is for what lies outside a tensor; a tile in shared memory has no outside");
      return state->failed_tile(source.dtype());
    }
    mlir::Type element = type.getElementType();
    fill = is_float(source.dtype())
               ? mlir::TypedAttr(mlir::FloatAttr::get(element, options.fill))
               : mlir::TypedAttr(mlir::IntegerAttr::get(element, static_cast<int64_t>(options.fill)));
  }
  return state->tile(tile::LoadOp::create(state->builder, state->location(where), type, from, fill,
                                          cache_attribute(*state, options.cache)),
                     source.dtype());
}

} // namespace tegula::dsl
