// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel under construction: its birth and end, its errors, its constants and types.
#include "compiler/dsl/builder_state.h"

#include "compiler/dsl/element_types.h"

namespace tegula::dsl {

// Free functions such as zeros() name no builder, so the thread remembers the latest one that lives. Builders that
// overlap in other than stack order are taken out of the middle.
static thread_local BuilderState *current_state = nullptr;

BuilderState *BuilderState::current() { return current_state; }

BuilderState *state_of(std::initializer_list<const Cell *> cells) {
  for (const Cell *cell : cells)
    if (cell && cell->state())
      return cell->state();
  return BuilderState::current();
}

static std::string_view target_name(Target target) { return target == Target::sm_90a ? "sm_90a" : "sm_100a"; }

BuilderState::BuilderState(std::string_view name, Target target, const Place &place)
    : target(target), module(std::make_shared<KernelModule>()), builder(&module->context()), outer_(current_state) {
  if (outer_)
    outer_->inner_ = this;
  current_state = this;
  scopes.push_back({Scope::Kind::kernel, place, "the kernel"});
  start_kernel(module->module(), name, place);
}

void BuilderState::start_kernel(mlir::ModuleOp parent, std::string_view name, const Place &place) {
  builder.setInsertionPointToEnd(parent.getBody());
  mlir::Location here = mlir::FileLineColLoc::get(&module->context(), place.file, place.line, place.column);
  mlir::ArrayAttr none = builder.getArrayAttr({});
  kernel = tile::KernelOp::create(builder, here, name, target_name(target), mlir::ArrayRef<int64_t>{1, 1, 1}, none,
                                  none, none, mlir::ArrayAttr(), mlir::DictionaryAttr());
  mlir::Block &body = kernel.getRegion().emplaceBlock();
  builder.setInsertionPointToEnd(&body);
}

void BuilderState::close() {
  finished = true;
  afterwards = mlir::ModuleOp::create(kernel.getLoc());
  start_kernel(*afterwards, "afterwards", scopes.front().place);
}

BuilderState::~BuilderState() {
  while (Cell *cell = first_) {
    cell->leave();
    cell->value_ = nullptr; // the module goes with the builder
  }
  (inner_ ? inner_->outer_ : current_state) = outer_;
  if (outer_)
    outer_->inner_ = inner_;
}

//===--- places and errors ---===//

static mlir::Location file_location(mlir::MLIRContext &context, const Place &place) {
  return mlir::FileLineColLoc::get(&context, place.file, place.line, place.column);
}

mlir::Location BuilderState::location(const Place &place) {
  mlir::Location location = file_location(module->context(), place);
  for (const Place &call : llvm::reverse(calls))
    location = mlir::CallSiteLoc::get(location, file_location(module->context(), call));
  return location;
}

Place BuilderState::place_of(mlir::Location location) const {
  Place place;
  if (auto call = llvm::dyn_cast<mlir::CallSiteLoc>(location))
    return place_of(call.getCallee());
  if (auto file = llvm::dyn_cast<mlir::FileLineColLoc>(location)) {
    place.file = file.getFilename().str();
    place.line = file.getLine();
    place.column = file.getColumn();
  }
  return place;
}

void BuilderState::error(const Place &place, std::string message, std::vector<Note> notes) {
  for (const Place &call : llvm::reverse(calls))
    notes.push_back({call, "called from here"});
  const Scope &scope = scopes.back();
  if (scope.kind != Scope::Kind::kernel)
    notes.push_back({scope.place, "in " + scope.what + ", which begins here"});
  errors.push_back({place, std::move(message), std::move(notes)});
}

//===--- constants and types ---===//

/// Constants go to the kernel's entry, before everything else, each once.
mlir::Value BuilderState::index_constant(int64_t value) {
  mlir::Block &entry = *kernel.getBody();
  mlir::Block::iterator place = entry.begin();
  for (; place != entry.end(); ++place) {
    auto constant = llvm::dyn_cast<mlir::arith::ConstantIndexOp>(*place);
    if (!constant)
      break;
    if (constant.value() == value)
      return constant;
  }
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(&entry, place);
  return mlir::arith::ConstantIndexOp::create(builder, kernel.getLoc(), value);
}

mlir::Value BuilderState::number_constant(mlir::Type type, double real, int64_t integer, const Where &where) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  mlir::Type element = tensor ? tensor.getElementType() : type;
  mlir::TypedAttr value = llvm::isa<mlir::FloatType>(element)
                              ? mlir::TypedAttr(mlir::FloatAttr::get(element, real))
                              : mlir::TypedAttr(mlir::IntegerAttr::get(element, integer));
  if (tensor)
    value = mlir::DenseElementsAttr::get(tensor, mlir::Attribute(value));
  return mlir::arith::ConstantOp::create(builder, location(where), value);
}

mlir::RankedTensorType BuilderState::tile_type(DType dtype, const Shape &shape, const Where &where) {
  mlir::Type element = element_type(module->context(), dtype);
  if (!element) {
    error(where, "no tile can hold " + std::string(name(dtype)) + " yet; use a type of at least a byte");
    return {};
  }
  if (shape.rank() == 0 || shape.rank() > 5) {
    error(where, "a tile has 1 to 5 dims; this one has " + std::to_string(shape.rank()));
    return {};
  }
  for (int64_t extent : shape.extents())
    if (extent < 1) {
      error(where, "a tile of " + shape.text() + " has an extent below 1; give positive extents");
      return {};
    }
  if (std::optional<std::string> fault = tile_fault(dtype, shape, tile_warps())) {
    error(where, *fault);
    return {};
  }
  return mlir::RankedTensorType::get(shape.extents(), element);
}

} // namespace tegula::dsl
