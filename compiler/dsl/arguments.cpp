// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arguments of a kernel, in the order that tile.kernel wants: tensors, extents, numbers.
#include <fmt/format.h>

#include "compiler/dsl/builder_state.h"
#include "compiler/dsl/element_types.h"
#include "llvm/ADT/StringExtras.h"

namespace tegula::dsl {

/// Whether an argument may have that name; else an error.
static bool check_name(BuilderState &state, std::string_view argument, const Where &where) {
  bool identifier = !argument.empty() && !llvm::isDigit(argument.front()) &&
                    llvm::all_of(argument, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (!identifier) {
    state.error(where, fmt::format("'{}' is no name for an argument; use letters, digits and '_'", argument));
    return false;
  }
  auto taken = [&](const auto &other) { return other.name == argument; };
  if (llvm::any_of(state.globals, taken) || llvm::any_of(state.dims, taken) || llvm::any_of(state.scalars, taken)) {
    state.error(where, fmt::format("there is an argument '{}' already; give each its own name", argument));
    return false;
  }
  return true;
}

static mlir::BlockArgument insert(BuilderState &state, size_t position, mlir::Type type, const Where &where) {
  mlir::Block &body = *state.kernel.getBody();
  unsigned last = body.getNumArguments(); // smaller than `position` after finish()
  return body.insertArgument(std::min(static_cast<unsigned>(position), last), type, state.location(where));
}

Index KernelBuilder::dim(std::string_view name, DimOptions options, Where where) {
  BuilderState &state = *state_;
  if (!check_name(state, name, where))
    return state.failed_index();
  if (options.multiple < 1) {
    state.error(where,
                fmt::format("'{}' is promised to be a multiple of {}; it must be at least 1", name, options.multiple));
    return state.failed_index();
  }
  mlir::BlockArgument value =
      insert(state, state.tensor_arguments() + state.dims.size(), state.builder.getIndexType(), where);
  state.dims.push_back({std::string(name), s64, value, options.multiple});
  return state.index(value);
}

Scalar KernelBuilder::scalar(std::string_view name, DType dtype, Where where) {
  BuilderState &state = *state_;
  mlir::Type type = element_type(state.module->context(), dtype);
  if (!check_name(state, name, where))
    return state.failed_scalar(dtype);
  if (!type || dtype == i1) {
    state.error(where, fmt::format("no argument can be a number of {}; use f32 or s32", tegula::name(dtype)));
    return state.failed_scalar(dtype);
  }
  mlir::BlockArgument value =
      insert(state, state.tensor_arguments() + state.dims.size() + state.scalars.size(), type, where);
  state.scalars.push_back({std::string(name), dtype, value, 0});
  return state.scalar(value, dtype);
}

/// The extents of a tensor as attribute and as shape.
struct Extents {
  std::vector<mlir::Attribute> names;
  std::vector<int64_t> shape;
};

/// An extent that is a dim() or a constant; else an error.
static void add_extent(BuilderState &state, Extents &extents, std::string_view global, const Index &extent,
                       const Where &where) {
  if (std::optional<int64_t> constant = BuilderState::constant_of(extent)) {
    if (*constant < 1)
      state.error(where, fmt::format("an extent of '{}' is {}; it must be at least 1", global, *constant));
    extents.names.push_back(state.builder.getI64IntegerAttr(*constant));
    extents.shape.push_back(*constant);
    return;
  }
  if (BuilderState::failed(extent))
    return;
  mlir::Value value = BuilderState::value_of(extent);
  auto dim = llvm::find_if(state.dims, [&](const WordArgument &dim) { return dim.value == value; });
  if (dim == state.dims.end()) {
    state.error(where,
                fmt::format("an extent of '{}' is computed; declare it by dim() and pass its value at launch", global));
    return;
  }
  extents.names.push_back(state.builder.getStringAttr(dim->name));
  extents.shape.push_back(mlir::ShapedType::kDynamic);
}

static bool check_align(BuilderState &state, std::string_view global, int64_t align, int64_t element_bytes,
                        const Where &where) {
  bool power = align > 0 && (align & (align - 1)) == 0;
  if (power && align >= element_bytes && align <= 256)
    return true;
  state.error(where,
              fmt::format("alignment of '{}' is {}; it must be a power of two from the element's {} byte{} to 256",
                          global, align, element_bytes, element_bytes == 1 ? "" : "s"));
  return false;
}

Global KernelBuilder::global(std::string_view name, DType dtype, std::initializer_list<Index> dims,
                             GlobalOptions options, Where where) {
  BuilderState &state = *state_;
  size_t before = state.errors.size();
  mlir::Type element = element_type(state.module->context(), dtype);
  if (!element || dtype == i1)
    state.error(where, fmt::format("'{}' is to hold {}, which no tile can hold yet; use a type of at least a byte",
                                   name, tegula::name(dtype)));
  if (dims.size() < 1 || dims.size() > 5)
    state.error(where, fmt::format("'{}' has {} dims; it must have 1 to 5", name, dims.size()));
  int rank = static_cast<int>(dims.size());
  int unit = options.unit == GlobalOptions::kLast ? rank - 1 : options.unit;
  if (unit < -1 || unit >= rank)
    state.error(where, fmt::format("the unit dim of '{}' is {}; it must be 0 to {}, or kNone", name, unit, rank - 1));
  int64_t element_bytes = tegula::bytes(dtype);
  int64_t align = options.align == 0 ? element_bytes : options.align;
  check_align(state, name, align, element_bytes, where);
  Extents extents;
  bool named = check_name(state, name, where);
  for (const Index &dim : dims)
    add_extent(state, extents, name, dim, where);
  bool complete = named && state.errors.size() == before && extents.shape.size() == dims.size();
  if (!complete) { // stand in with a tensor of that rank, so that what follows is still looked at
    extents.shape.assign(std::max<size_t>(1, std::min<size_t>(5, dims.size())), mlir::ShapedType::kDynamic);
    element = element ? element : state.builder.getF32Type();
    unit = -1;
  }
  auto type = tile::GlobalType::get(&state.module->context(), extents.shape, element, unit);
  mlir::BlockArgument value = insert(state, state.tensor_arguments(), type, where);
  state.globals.push_back({std::string(name), dtype, value, state.builder.getArrayAttr(extents.names), align});
  return BuilderState::global_handle(&state, static_cast<int>(state.globals.size()) - 1);
}

} // namespace tegula::dsl
