// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors in global memory: their tiles, by number or by element, and single elements.
#include <fmt/format.h>

#include "compiler/dsl/builder_state.h"

namespace tegula::dsl {

Global BuilderState::global_handle(BuilderState *state, int id) {
  Global global;
  global.state_ = state;
  global.id_ = id;
  return global;
}

DType Global::dtype() const { return state_ ? state_->globals[id_].dtype : f32; }

//===--- shapes of open tiles ---===//

static bool check_shape(BuilderState &state, const GlobalArgument &global, const Shape &shape, const Where &where) {
  int64_t rank = llvm::cast<tile::GlobalType>(global.value.getType()).getRank();
  if (shape.rank() < 1 || static_cast<int64_t>(shape.rank()) > rank) {
    state.error(where,
                fmt::format("a tile of '{}' is to be {}; the tensor has {} dims", global.name, shape.text(), rank));
    return false;
  }
  for (int64_t extent : shape.extents())
    if (extent < 1) {
      state.error(where,
                  fmt::format("a tile of '{}' is to be {}; extents must be at least 1", global.name, shape.text()));
      return false;
    }
  return true;
}

std::vector<mlir::Value> BuilderState::offsets_of(const View::Content &open, const Shape &shape, const Where &where) {
  const GlobalArgument &global = globals[open.global];
  if (!check_shape(*this, global, shape, where))
    return {};
  size_t rank = open.coordinates.size(), first = rank - shape.rank();
  std::vector<mlir::Value> offsets;
  for (size_t dim = 0; dim < rank; ++dim) {
    int64_t own = dim < first ? 1 : shape[dim - first];
    bool shared_out = dim == first && open.share_count > 1;
    IndexOperand coordinate(open.coordinates[dim], where);
    Index offset =
        index_binary(Binary::mul, coordinate, IntegerOperand(shared_out ? own * open.share_count : own, where));
    if (shared_out) {
      Index part = index_binary(Binary::mul, IndexOperand(open.share_index, where), IntegerOperand(own, where));
      offset = index_binary(Binary::add, IndexOperand(offset, where), IndexOperand(part, where));
    }
    mlir::Value value = use_index(offset, where);
    if (!value)
      return {};
    offsets.push_back(value);
  }
  return offsets;
}

mlir::Value BuilderState::slice(int global, const Shape &shape, mlir::ValueRange offsets, const Where &where) {
  const GlobalArgument &argument = globals[global];
  mlir::Type element = llvm::cast<tile::GlobalType>(argument.value.getType()).getElementType();
  auto type = tile::ViewType::get(shape.extents(), element, tile::MemorySpace::global);
  return tile::SliceOp::create(builder, location(where), type, argument.value, offsets);
}

//===--- tiles of tensors ---===//

static View open_tile(const Global &global, std::vector<Index> coordinates, const Where &where) {
  BuilderState *state = BuilderState::state_of(global);
  if (!state) {
    if (BuilderState *current = BuilderState::current())
      current->error(where, "a tensor is used before it was given a value");
    return {};
  }
  const GlobalArgument &argument = state->globals[BuilderState::id_of(global)];
  size_t rank = llvm::cast<tile::GlobalType>(argument.value.getType()).getRank();
  if (coordinates.size() != rank) {
    state->error(where,
                 fmt::format("a tile of '{}' is named by {} coordinate{}; the tensor has {} dim{}", argument.name,
                             coordinates.size(), coordinates.size() == 1 ? "" : "s", rank, rank == 1 ? "" : "s"));
    return state->failed_view(argument.dtype);
  }
  View::Content content;
  content.dtype = argument.dtype;
  content.taken = where;
  content.shaped = where;
  content.global = BuilderState::id_of(global);
  content.coordinates = std::move(coordinates);
  return state->view(std::move(content));
}

View Global::tile(const Index &i, Where where) const { return open_tile(*this, {i}, where); }
View Global::tile(const Index &i, const Index &j, Where where) const { return open_tile(*this, {i, j}, where); }
View Global::tile(const Index &b, const Index &i, const Index &j, Where where) const {
  return open_tile(*this, {b, i, j}, where);
}
View Global::tile(const Index &a, const Index &b, const Index &i, const Index &j, Where where) const {
  return open_tile(*this, {a, b, i, j}, where);
}

/// One value a dim of the tensor; empty after an error.
static std::vector<mlir::Value> element_indices(BuilderState &state, const GlobalArgument &argument,
                                                std::initializer_list<Index> indices, const Where &where) {
  size_t rank = llvm::cast<tile::GlobalType>(argument.value.getType()).getRank();
  std::vector<mlir::Value> values;
  for (const Index &index : indices)
    if (mlir::Value value = state.use_index(index, where))
      values.push_back(value);
  if (indices.size() != rank)
    state.error(where, fmt::format("'{}' is indexed by {} value{}; the tensor has {} dim{}", argument.name,
                                   indices.size(), indices.size() == 1 ? "" : "s", rank, rank == 1 ? "" : "s"));
  if (values.size() != rank)
    values.clear();
  return values;
}

View Global::slice(const Shape &shape, std::initializer_list<Index> offsets, Where where) const {
  if (!state_)
    return open_tile(*this, {}, where);
  const GlobalArgument &argument = state_->globals[id_];
  std::vector<mlir::Value> values = element_indices(*state_, argument, offsets, where);
  if (!check_shape(*state_, argument, shape, where) || values.empty())
    return state_->failed_view(argument.dtype);
  View::Content content;
  content.dtype = argument.dtype;
  content.taken = where;
  content.shaped = where;
  content.value = state_->slice(id_, shape, values, where);
  return state_->view(std::move(content));
}

Global Global::window(int dim, const Index &first, const Index &count, Where where) const {
  if (!state_) {
    (void)open_tile(*this, {}, where);
    return {};
  }
  const GlobalArgument &argument = state_->globals[id_];
  auto rank = llvm::cast<tile::GlobalType>(argument.value.getType()).getRank();
  if (dim < 0 || dim >= rank)
    state_->error(where, fmt::format("a window of '{}' is to be along dim {}; the tensor has dims 0 to {}",
                                     argument.name, dim, rank - 1));
  if (argument.is_window())
    state_->error(where, fmt::format("'{}' is a window already; take one window of the argument", argument.name));
  mlir::Value from = state_->use_index(first, where), rows = state_->use_index(count, where);
  if (dim < 0 || dim >= rank || argument.is_window() || !from || !rows)
    return *this; // stands in
  GlobalArgument window = argument;
  window.value = tile::WindowOp::create(state_->builder, state_->location(where), argument.value, dim, from, rows);
  state_->globals.push_back(std::move(window));
  return BuilderState::global_handle(state_, static_cast<int>(state_->globals.size()) - 1);
}

Scalar Global::at(std::initializer_list<Index> indices, Where where) const {
  if (!state_) {
    (void)open_tile(*this, {}, where);
    return {};
  }
  const GlobalArgument &argument = state_->globals[id_];
  std::vector<mlir::Value> values = element_indices(*state_, argument, indices, where);
  if (values.empty())
    return state_->failed_scalar(argument.dtype);
  mlir::Type element = llvm::cast<tile::GlobalType>(argument.value.getType()).getElementType();
  return state_->scalar(tile::ReadOp::create(state_->builder, state_->location(where), element, argument.value, values),
                        argument.dtype);
}

} // namespace tegula::dsl
