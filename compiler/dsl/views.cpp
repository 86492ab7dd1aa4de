// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles in memory, as values and as parts of each other. An open tile of a tensor gets its shape here.
#include <fmt/format.h>

#include "compiler/dsl/builder_state.h"
#include "compiler/dsl/element_types.h"

namespace tegula::dsl {

View BuilderState::view(View::Content content) {
  View result;
  content.state = this;
  result.content_ = std::make_shared<const View::Content>(std::move(content));
  return result;
}

View BuilderState::failed_view(DType dtype) {
  View::Content content;
  content.dtype = dtype;
  return view(std::move(content));
}

DType View::dtype() const { return content_ ? content_->dtype : f32; }

Shape View::shape() const {
  if (!content_ || !content_->value)
    return {};
  return Shape(llvm::cast<tile::ViewType>(content_->value.getType()).getShape().vec());
}

static mlir::Value transpose(BuilderState &state, mlir::Value value, const Where &where) {
  auto type = llvm::cast<tile::ViewType>(value.getType());
  auto turned = tile::ViewType::get({type.getShape()[1], type.getShape()[0]}, type.getElementType(), type.getSpace());
  return tile::TransposeOp::create(state.builder, state.location(where), turned, value, mlir::ArrayRef<int64_t>{1, 0});
}

//===--- resolving ---===//

mlir::Value BuilderState::resolve(const View &view, const Where &where) {
  const View::Content *tile = content(view);
  if (finished)
    return {};
  if (!tile) {
    error(where, "a tile in memory is used before it was given a value");
    return {};
  }
  if (tile->state != this) {
    error(where, "a tile in memory belongs to another kernel");
    return {};
  }
  if (!tile->value) {
    if (tile->global >= 0)
      error(where,
            fmt::format("a tile of '{}' has no shape here; write .sized({{m, n}}) or give the shape to load()",
                        globals[tile->global].name),
            {{tile->taken, "the tile is named here"}});
    return {};
  }
  if (in_scope(tile->value))
    return tile->value;
  if (tile->slot)
    error(where,
          "a slot is used outside the iteration that took it; take it where it is used, or load() it into a "
          "register tile first",
          {{tile->taken, "it was taken here"}});
  else
    error(where, "a tile in memory is used outside the region that named it; name it where it is used",
          {{tile->taken, "it was named here"}});
  return {};
}

mlir::Value BuilderState::resolve(const View &view, const Shape &shape, const Where &where) {
  const View::Content *tile = content(view);
  if (!tile || tile->value || tile->global < 0 || tile->state != this)
    return resolve(view, where);
  bool turned = tile->transposed;
  if (turned && shape.rank() != 2) {
    error(where, fmt::format("a transposed tile is to be {}; it must have rank 2", shape.text()));
    return {};
  }
  Shape own = turned ? Shape{shape[1], shape[0]} : shape;
  std::vector<mlir::Value> offsets = offsets_of(*tile, own, where);
  if (offsets.empty())
    return {};
  mlir::Value value = slice(tile->global, own, offsets, where);
  return turned ? transpose(*this, value, where) : value;
}

//===--- views of views ---===//

static View refuse(BuilderState &state, DType dtype, const Where &where, std::string message) {
  state.error(where, std::move(message));
  return state.failed_view(dtype);
}

View View::T(Where where) const {
  BuilderState *state = content_ ? content_->state : BuilderState::current();
  if (!state)
    return {};
  Content turned = content_ ? *content_ : Content();
  turned.transposed = !turned.transposed;
  bool open = content_ && !content_->value && content_->global >= 0;
  if (open && content_->share_count > 1)
    return refuse(*state, dtype(), where,
                  "take the transpose of a tile before its rows are shared out, or give its shape");
  if (open)
    return state->view(std::move(turned));
  mlir::Value value = state->resolve(*this, where);
  if (!value)
    return state->failed_view(dtype());
  if (shape().rank() != 2)
    return refuse(*state, dtype(), where, fmt::format("the tile is {}; T() takes one of rank 2", shape().text()));
  turned.value = transpose(*state, value, where);
  return state->view(std::move(turned));
}

View View::sized(const Shape &shape, Where where) const {
  BuilderState *state = content_ ? content_->state : BuilderState::current();
  if (!state)
    return {};
  mlir::Value value = state->resolve(*this, shape, where);
  if (!value)
    return state->failed_view(dtype());
  Content content = *content_;
  content.value = value;
  content.shaped = where;
  if (View::shape() != Shape() && View::shape() != shape)
    return refuse(*state, dtype(), where,
                  fmt::format("the tile is {} already; it cannot become {}", View::shape().text(), shape.text()));
  return state->view(std::move(content));
}

View View::part(const Shape &shape, std::initializer_list<Index> offsets, Where where) const {
  BuilderState *state = content_ ? content_->state : BuilderState::current();
  if (!state)
    return {};
  mlir::Value value = state->resolve(*this, where);
  if (!value)
    return state->failed_view(dtype());
  auto type = llvm::cast<tile::ViewType>(value.getType());
  bool fits = shape.rank() == static_cast<size_t>(type.getRank()) && offsets.size() == shape.rank();
  for (size_t dim = 0; fits && dim < shape.rank(); ++dim)
    fits = shape[dim] >= 1 && shape[dim] <= type.getShape()[dim];
  if (!fits)
    return refuse(*state, dtype(), where,
                  fmt::format("a part of {} with {} offsets does not fit a tile of {}; ranks must "
                              "be equal, extents not larger",
                              shape.text(), offsets.size(), View::shape().text()));
  std::vector<mlir::Value> values;
  for (const Index &offset : offsets)
    if (mlir::Value o = state->use_index(offset, where))
      values.push_back(o);
  if (values.size() != offsets.size())
    return state->failed_view(dtype());
  auto part = tile::ViewType::get(shape.extents(), type.getElementType(), type.getSpace());
  Content content = *content_;
  content.value = tile::SubviewOp::create(state->builder, state->location(where), part, value, values);
  content.shaped = where;
  return state->view(std::move(content));
}

View Role::rows(const View &view, Where where) const {
  const View::Content *tile = BuilderState::content(view);
  BuilderState *state = tile ? tile->state : state_of({&index_});
  if (!state)
    return {};
  if (llvm::any_of(state->scopes, [](const Scope &scope) { return scope.alternate; })) {
    state->error(where, "rows() shares a tile between instances, but here they take tiles in turn; use the whole tile");
    return state->failed_view(view.dtype());
  }
  if (tile && !tile->value && tile->global >= 0) {
    View::Content shared_out = *tile;
    if (tile->transposed || tile->share_count > 1) {
      state->error(where,
                   "rows() takes a tile that is neither transposed nor shared out already, or one whose shape is "
                   "known");
      return state->failed_view(view.dtype());
    }
    shared_out.share_count = instances_;
    shared_out.share_index = index_;
    return state->view(std::move(shared_out));
  }
  mlir::Value value = state->resolve(view, where);
  if (!value)
    return state->failed_view(view.dtype());
  Shape shape = view.shape();
  if (shape[0] % instances_) {
    state->error(
        where, fmt::format("{} rows are not to be shared by {} instances; make them a multiple", shape[0], instances_));
    return state->failed_view(view.dtype());
  }
  int64_t own = shape[0] / instances_;
  std::vector<int64_t> extents = shape.extents();
  extents[0] = own;
  Index first = index_binary(Binary::mul, IndexOperand(index_, where), IntegerOperand(own, where));
  std::vector<mlir::Value> offsets(extents.size(), state->index_constant(0));
  offsets[0] = state->use_index(first, where);
  if (!offsets[0])
    return state->failed_view(view.dtype());
  auto type = llvm::cast<tile::ViewType>(value.getType());
  auto part = tile::ViewType::get(extents, type.getElementType(), type.getSpace());
  View::Content content = *tile;
  content.value = tile::SubviewOp::create(state->builder, state->location(where), part, value, offsets);
  return state->view(std::move(content));
}

} // namespace tegula::dsl
