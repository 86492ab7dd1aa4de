// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables of a kernel: the list of those that are alive, and what using one takes.
#include "compiler/dsl/builder_state.h"
#include "compiler/dsl/element_types.h"

namespace tegula::dsl {

//===--- the list ---===//

Cell::Cell() { enter(BuilderState::current()); }

Cell::Cell(BuilderState *state, void *value) : value_(value) { enter(state); }

Cell::Cell(const Cell &other)
    : value_(other.value_), constant_(other.constant_), is_constant_(other.is_constant_), failed_(other.failed_),
      dtype_(other.dtype_) {
  enter(other.state_);
}

Cell &Cell::operator=(const Cell &other) {
  if (this == &other)
    return *this;
  if (state_ != other.state_) {
    leave();
    enter(other.state_);
  }
  BuilderState::set_content(*this, BuilderState::content(other));
  return *this;
}

Cell::~Cell() { leave(); }

void Cell::enter(BuilderState *state) {
  state_ = state;
  if (!state)
    return;
  previous_ = state->last_;
  (previous_ ? previous_->next_ : state->first_) = this;
  state->last_ = this;
}

void Cell::leave() {
  if (!state_)
    return;
  for (std::vector<Cell *> *list : state_->watched_)
    std::replace(list->begin(), list->end(), this, static_cast<Cell *>(nullptr));
  (previous_ ? previous_->next_ : state_->first_) = next_;
  (next_ ? next_->previous_ : state_->last_) = previous_;
  previous_ = next_ = nullptr;
  state_ = nullptr;
}

std::vector<Cell *> BuilderState::live_cells() const {
  std::vector<Cell *> cells;
  for (Cell *cell = first_; cell; cell = cell->next_)
    cells.push_back(cell);
  return cells;
}

//===--- content ---===//

CellContent BuilderState::content(const Cell &cell) {
  return {value_of(cell), cell.constant_, cell.is_constant_, cell.failed_, cell.dtype_};
}

void BuilderState::set_content(Cell &cell, const CellContent &content) {
  cell.value_ = content.value.getAsOpaquePointer();
  cell.constant_ = content.constant;
  cell.is_constant_ = content.is_constant;
  cell.failed_ = content.failed;
  cell.dtype_ = content.dtype;
}

mlir::Value BuilderState::value_of(const Cell &cell) { return mlir::Value::getFromOpaquePointer(cell.value_); }

std::optional<int64_t> BuilderState::constant_of(const Cell &cell) {
  return cell.is_constant_ ? std::optional(cell.constant_) : std::nullopt;
}

mlir::Value BuilderState::materialize(const CellContent &content) {
  return content.is_constant ? index_constant(content.constant) : content.value;
}

//===--- making ---===//

Index::Index(Constant constant) { BuilderState::set_content(*this, {{}, constant.value, true, false, DType::s64}); }

Tile BuilderState::tile(mlir::Value value, DType dtype) {
  Tile result(this, value.getAsOpaquePointer());
  static_cast<Cell &>(result).dtype_ = dtype;
  return result;
}

Scalar BuilderState::scalar(mlir::Value value, DType dtype) {
  Scalar result(this, value.getAsOpaquePointer());
  static_cast<Cell &>(result).dtype_ = dtype;
  return result;
}

Index BuilderState::index(mlir::Value value) { return Index(this, value.getAsOpaquePointer()); }

Tile BuilderState::failed_tile(DType dtype) {
  Tile result = tile({}, dtype);
  static_cast<Cell &>(result).failed_ = true;
  return result;
}

Scalar BuilderState::failed_scalar(DType dtype) {
  Scalar result = scalar({}, dtype);
  static_cast<Cell &>(result).failed_ = true;
  return result;
}

Index BuilderState::failed_index() {
  Index result = index({});
  static_cast<Cell &>(result).failed_ = true;
  return result;
}

DType Scalar::dtype() const { return BuilderState::dtype_of(*this); }
DType Tile::dtype() const { return BuilderState::dtype_of(*this); }

Shape Tile::shape() const {
  mlir::Value value = BuilderState::value_of(*this);
  return value ? Shape(llvm::cast<mlir::RankedTensorType>(value.getType()).getShape().vec()) : Shape();
}

Index &Index::operator+=(const Index &other) { return *this = *this + other; }
Index &Index::operator-=(const Index &other) { return *this = *this - other; }

//===--- using ---===//

bool BuilderState::in_scope(mlir::Value value) const {
  mlir::Region *here = builder.getInsertionBlock()->getParent();
  return value.getParentRegion()->isAncestor(here);
}

/// The construct that a value was computed in, in words.
static std::string_view construct(mlir::Value value) {
  mlir::Operation *parent = value.getParentRegion()->getParentOp();
  if (llvm::isa<mlir::scf::ForOp>(parent))
    return "a loop's body";
  if (llvm::isa<mlir::scf::IfOp>(parent))
    return "a branch";
  if (llvm::isa<tile::ForTilesOp>(parent))
    return "the work on one tile";
  if (llvm::isa<tile::RoleOp>(parent))
    return "another role";
  return "a turn";
}

mlir::Value BuilderState::use(const Cell &cell, const Where &where, std::string_view what) {
  if (cell.failed_ || finished)
    return {};
  if (cell.is_constant_)
    return index_constant(cell.constant_);
  if (cell.state_ && cell.state_ != this) {
    error(where, std::string(what) + " belongs to another kernel");
    return {};
  }
  mlir::Value value = value_of(cell);
  if (!value) {
    error(where, std::string(what) + " is used before it was given a value");
    return {};
  }
  if (in_scope(value))
    return value;
  Place origin = place_of(value.getLoc());
  error(where,
        std::string(what) + " was computed in " + std::string(construct(value)) +
            " and is used outside it; declare it, with a value, outside and assign it inside",
        {{origin, "it was computed here"}});
  return {};
}

mlir::Value BuilderState::use(const Operand &operand, const Where &where) {
  switch (operand.kind) {
  case Operand::Kind::tile: return use(*operand.cell, where, "tile");
  case Operand::Kind::scalar: return use(*operand.cell, where, "scalar");
  case Operand::Kind::index: return use(*operand.cell, where, "index");
  default: return {};
  }
}

} // namespace tegula::dsl
