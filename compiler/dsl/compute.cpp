// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants, index tiles, products, reductions and broadcasts.
#include "compiler/dsl/compute.h"

#include <fmt/format.h>

#include "compiler/dsl/builder_state.h"
#include "compiler/dsl/element_types.h"
#include "compiler/dsl/mma_rules.h"

namespace tegula::dsl {

//===--- making tiles ---===//

Tile full(DType dtype, const Shape &shape, double value, Where where) {
  BuilderState *state = BuilderState::current();
  if (!state)
    return {};
  mlir::RankedTensorType type = state->tile_type(dtype, shape, where);
  if (!type)
    return state->failed_tile(dtype);
  return state->tile(state->number_constant(type, value, is_float(dtype) ? 0 : static_cast<int64_t>(value), where),
                     dtype);
}

Tile zeros(DType dtype, const Shape &shape, Where where) { return full(dtype, shape, 0, where); }

Tile full(const Shape &shape, const Scalar &value, Where where) {
  BuilderState *state = state_of({&value});
  if (!state)
    return {};
  mlir::Value scalar = state->use(value, where, "scalar");
  mlir::RankedTensorType type = scalar ? state->tile_type(value.dtype(), shape, where) : mlir::RankedTensorType();
  if (!type)
    return state->failed_tile(value.dtype());
  return state->tile(tile::SplatOp::create(state->builder, state->location(where), type, scalar), value.dtype());
}

/// Whether `dim` is one of `rank` dims.
static bool check_dim(BuilderState &state, int dim, size_t rank, const Where &where) {
  if (dim >= 0 && dim < static_cast<int>(rank))
    return true;
  state.error(where, fmt::format("dim is {}; the tile has {} dim{}", dim, rank, rank == 1 ? "" : "s"));
  return false;
}

Tile iota(DType dtype, const Shape &shape, int dim, Where where) {
  BuilderState *state = BuilderState::current();
  if (!state)
    return {};
  if (dtype != s32 && dtype != s64) {
    state->error(where, fmt::format("index tiles are s32 or s64, not {}; cast the result", name(dtype)));
    return state->failed_tile(dtype);
  }
  mlir::RankedTensorType type = state->tile_type(dtype, shape, where);
  if (!type || !check_dim(*state, dim, shape.rank(), where))
    return state->failed_tile(dtype);
  return state->tile(tile::IotaOp::create(state->builder, state->location(where), type, static_cast<uint64_t>(dim)),
                     dtype);
}

//===--- products ---===//

namespace {

/// The place where a view got its shape, as a note.
void note_shape(std::vector<Note> &notes, const View *view, std::string_view name) {
  const View::Content *content = view ? BuilderState::content(*view) : nullptr;
  if (content && !(content->shaped == Place()))
    notes.push_back({content->shaped, fmt::format("{} got its shape here", name)});
}

/// One operand: a view, or a register tile.
struct MmaOperand {
  const View *view = nullptr;
  const Tile *tile = nullptr;

  mlir::Value value(BuilderState &state, std::string_view what, const Where &where) const {
    if (tile)
      return state.use(*tile, where, what);
    mlir::Value value = state.resolve(*view, where);
    if (!value || llvm::cast<tile::ViewType>(value.getType()).isShared())
      return value;
    state.error(where, fmt::format("{} of mma is in global memory; copy it into a shared tile first", what));
    return {};
  }
  [[nodiscard]] DType dtype() const { return tile ? tile->dtype() : view->dtype(); }
  [[nodiscard]] Shape shape() const { return tile ? tile->shape() : view->shape(); }
  [[nodiscard]] bool transposed() const { return view && BuilderState::content(*view)->transposed; }
};

Tile make_mma(BuilderState &state, const MmaOperand &a, const View &b_view, const Tile &acc, const Where &where) {
  MmaOperand b{&b_view, nullptr};
  mlir::Value x = a.value(state, "a", where), y = b.value(state, "b", where), sum = state.use(acc, where, "the sum");
  if (!x || !y || !sum)
    return state.failed_tile(acc.dtype());
  MmaQuestion question{state.target, a.dtype(),         b.dtype(),      acc.dtype(),    a.shape(),         b.shape(),
                       acc.shape(),  a.tile != nullptr, a.transposed(), b.transposed(), state.tile_warps()};
  std::vector<std::string> faults = mma_faults(question);
  for (const std::string &fault : faults) {
    std::vector<Note> notes;
    note_shape(notes, a.view, "a");
    note_shape(notes, b.view, "b");
    state.error(where, "mma: " + fault, std::move(notes));
  }
  if (!faults.empty())
    return state.failed_tile(acc.dtype());
  return state.tile(tile::MmaOp::create(state.builder, state.location(where), sum.getType(), x, y, sum), acc.dtype());
}

BuilderState *state_of_mma(const View &b, const Tile &acc) {
  if (acc.state())
    return acc.state();
  const View::Content *content = BuilderState::content(b);
  return content ? content->state : BuilderState::current();
}

} // namespace

Tile mma(const View &a, const View &b, const Tile &acc, Where where) {
  BuilderState *state = state_of_mma(b, acc);
  return state ? make_mma(*state, {&a, nullptr}, b, acc, where) : Tile();
}

Tile mma(const Tile &a, const View &b, const Tile &acc, Where where) {
  BuilderState *state = state_of_mma(b, acc);
  return state ? make_mma(*state, {nullptr, &a}, b, acc, where) : Tile();
}

//===--- across elements ---===//

static Tile reduce(const Tile &tile, int dim, tile::ReduceKind kind, const Where &where) {
  BuilderState *state = state_of({&tile});
  if (!state)
    return {};
  mlir::Value value = state->use(tile, where, "tile");
  if (!value)
    return state->failed_tile(tile.dtype());
  Shape shape = tile.shape();
  if (!check_dim(*state, dim, shape.rank(), where))
    return state->failed_tile(tile.dtype());
  if (tile.dtype() == i1 || (is_float(tile.dtype()) && bits(tile.dtype()) < 16)) {
    state->error(where, fmt::format("a tile of {} cannot be reduced; cast it to f32 or s32 first", name(tile.dtype())));
    return state->failed_tile(tile.dtype());
  }
  if (shape.rank() == 1) {
    state->error(where,
                 fmt::format("a vector of {} would be reduced to a scalar; reduce a tile of rank 2, such as 1x{}",
                             shape[0], shape[0]));
    return state->failed_tile(tile.dtype());
  }
  std::vector<int64_t> extents = shape.extents();
  extents.erase(extents.begin() + dim);
  auto type =
      mlir::RankedTensorType::get(extents, llvm::cast<mlir::RankedTensorType>(value.getType()).getElementType());
  return state->tile(
      tile::ReduceOp::create(state->builder, state->location(where), type, value, kind, static_cast<uint64_t>(dim)),
      tile.dtype());
}

Tile reduce_sum(const Tile &tile, int dim, Where where) { return reduce(tile, dim, tile::ReduceKind::add, where); }
Tile reduce_max(const Tile &tile, int dim, Where where) { return reduce(tile, dim, tile::ReduceKind::max, where); }
Tile reduce_min(const Tile &tile, int dim, Where where) { return reduce(tile, dim, tile::ReduceKind::min, where); }

Tile broadcast(const Tile &tile, int dim, int64_t extent, Where where) {
  BuilderState *state = state_of({&tile});
  if (!state)
    return {};
  mlir::Value value = state->use(tile, where, "tile");
  if (!value || !check_dim(*state, dim, tile.shape().rank() + 1, where))
    return state->failed_tile(tile.dtype());
  std::vector<int64_t> extents = tile.shape().extents();
  extents.insert(extents.begin() + dim, extent);
  mlir::RankedTensorType type = state->tile_type(tile.dtype(), Shape(extents), where);
  if (!type)
    return state->failed_tile(tile.dtype());
  return state->tile(
      tile::BroadcastOp::create(state->builder, state->location(where), type, value, static_cast<uint64_t>(dim)),
      tile.dtype());
}

Tile Tile::T(Where where) const {
  BuilderState *state = state_of({this});
  if (!state)
    return {};
  mlir::Value value = state->use(*this, where, "tile");
  if (!value)
    return state->failed_tile(dtype());
  if (shape().rank() != 2) {
    state->error(where, fmt::format("the tile is {}; T() takes one of rank 2", shape().text()));
    return state->failed_tile(dtype());
  }
  auto type = llvm::cast<mlir::RankedTensorType>(value.getType());
  auto turned = mlir::RankedTensorType::get({type.getShape()[1], type.getShape()[0]}, type.getElementType());
  return state->tile(
      tile::TransposeOp::create(state->builder, state->location(where), turned, value, mlir::ArrayRef<int64_t>{1, 0}),
      dtype());
}

} // namespace tegula::dsl
