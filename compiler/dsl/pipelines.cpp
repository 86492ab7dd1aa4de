// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared memory: pipelines, their slots, and plain tiles of the block.
#include <fmt/format.h>

#include "compiler/dsl/builder_state.h"
#include "compiler/dsl/element_types.h"

namespace tegula::dsl {

mlir::Value BuilderState::value_of(const PipelineBase &ring) { return mlir::Value::getFromOpaquePointer(ring.value_); }

void BuilderState::set(PipelineBase &ring, BuilderState *state, mlir::Value value) {
  ring.state_ = state;
  ring.value_ = value.getAsOpaquePointer();
}

/// The type of a tile in shared memory; null after an error.
static tile::ViewType shared_type(BuilderState &state, DType dtype, const Shape &shape, const Place &place) {
  mlir::Type element = element_type(state.module->context(), dtype);
  if (!element || dtype == i1) {
    state.error(place, fmt::format("no tile in memory can hold {} yet; use a type of at least a byte", name(dtype)));
    return {};
  }
  bool positive = llvm::all_of(shape.extents(), [](int64_t extent) { return extent >= 1; });
  if (shape.rank() < 1 || shape.rank() > 5 || !positive) {
    state.error(place, fmt::format("a tile in shared memory is to be {}; it must have 1 to 5 dims of at least 1",
                                   shape.text()));
    return {};
  }
  return tile::ViewType::get(shape.extents(), element, tile::MemorySpace::shared);
}

/// Adds a piece to the block's shared memory; an error, once, when it does not fit.
static void take_shared(BuilderState &state, const SharedPiece &piece, const Where &where) {
  state.shared_pieces.push_back(piece);
  if (state.shared_fault_told || shared_bytes(state.shared_pieces) <= kMaxSharedBytes)
    return;
  state.shared_fault_told = true;
  state.error(where, shared_fault(state.shared_pieces, state.shared_pieces.size() - 1));
}

static int64_t round_up(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

/// Rings and tiles of the block belong to the kernel, not to a role or a loop.
static bool at_kernel_level(BuilderState &state, std::string_view what, const Where &where) {
  if (state.scopes.size() == 1)
    return true;
  state.error(where, fmt::format("{} is declared inside {}; declare it in the kernel, before the roles", what,
                                 state.scopes.back().what));
  return false;
}

void KernelBuilder::make_pipeline(PipelineBase &ring, int64_t stages, std::span<const SlotSpec> slots, Where where) {
  BuilderState &state = *state_;
  BuilderState::set(ring, &state, {});
  bool sound = at_kernel_level(state, "a pipeline", where);
  if (stages < 1 || stages > 32) {
    state.error(where, fmt::format("the pipeline has {} stages; it must have 1 to 32", stages));
    sound = false;
  }
  std::vector<mlir::Type> types;
  RingSlots record;
  SharedPiece piece{stages, 0, true};
  for (const SlotSpec &slot : slots) {
    tile::ViewType type = shared_type(state, slot.dtype, slot.shape, slot.where);
    sound &= static_cast<bool>(type);
    if (!type)
      continue;
    types.push_back(type);
    record.dtypes.push_back(slot.dtype);
    record.places.push_back(slot.where);
    piece.stage_bytes += round_up(type.getTileBytes(), 1024); // the widest swizzle repeats every 1024 bytes
  }
  if (!sound)
    return;
  take_shared(state, piece, where);
  auto type = tile::RingType::get(&state.module->context(), static_cast<int>(stages), types);
  record.ring = tile::RingOp::create(state.builder, state.location(where), type);
  BuilderState::set(ring, &state, record.ring);
  state.rings.push_back(std::move(record));
}

void PipelineBase::take(bool produce, std::span<View> slots, Where where) const {
  BuilderState *state = state_ ? state_ : BuilderState::current();
  if (!state)
    return;
  mlir::Value ring = mlir::Value::getFromOpaquePointer(value_);
  if (!ring || state->finished) {
    if (!state_)
      state->error(where, "a pipeline is used before it was given a value");
    std::fill(slots.begin(), slots.end(), state->failed_view(f32));
    return;
  }
  mlir::Operation *op = produce ? tile::ProduceOp::create(state->builder, state->location(where), ring).getOperation()
                                : tile::ConsumeOp::create(state->builder, state->location(where), ring).getOperation();
  auto record = llvm::find_if(state->rings, [&](const RingSlots &slots) { return slots.ring == ring; });
  for (size_t i = 0; i < slots.size(); ++i) {
    View::Content content;
    content.dtype = record->dtypes[i];
    content.value = op->getResult(i);
    content.taken = where;
    content.shaped = record->places[i];
    content.slot = true;
    slots[i] = state->view(std::move(content));
  }
}

View KernelBuilder::shared(DType dtype, const Shape &shape, SharedOptions options, Where where) {
  BuilderState &state = *state_;
  tile::ViewType type = shared_type(state, dtype, shape, where);
  if (!at_kernel_level(state, "a tile in shared memory", where) || !type)
    return state.failed_view(dtype);
  int64_t padding = std::max<int64_t>(0, options.padding);
  int64_t rows = shape.elements() / shape[shape.rank() - 1];
  take_shared(state, {1, round_up((shape.elements() + rows * padding) * bits(dtype) / 8, 16), false}, where);
  mlir::IntegerAttr attribute =
      options.padding < 0 ? mlir::IntegerAttr() : state.builder.getI64IntegerAttr(options.padding);
  View::Content content;
  content.dtype = dtype;
  content.value = tile::AllocOp::create(state.builder, state.location(where), type, attribute);
  content.taken = where;
  content.shaped = where;
  return state.view(std::move(content));
}

} // namespace tegula::dsl
