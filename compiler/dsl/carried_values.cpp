// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables across regions; carried_values.h says how.
#include "compiler/dsl/carried_values.h"

namespace tegula::dsl {

CarriedValues::CarriedValues(BuilderState &state) : state_(state), cells_(state.live_cells()) {
  for (Cell *cell : cells_)
    before_.push_back(BuilderState::content(*cell));
  stand_ins_.resize(cells_.size());
  state_.watch(&cells_);
}

CarriedValues::~CarriedValues() { state_.unwatch(); }

void CarriedValues::stand_in(mlir::Block &body, const Place &place) {
  for (size_t i = 0; i < cells_.size(); ++i) {
    if (!before_[i].has_value() || (before_[i].value && !state_.in_scope(before_[i].value)))
      continue;
    mlir::Type type = before_[i].is_constant ? state_.builder.getIndexType() : before_[i].value.getType();
    stand_ins_[i] = body.addArgument(type, state_.location(place));
    CellContent content = before_[i];
    content.is_constant = false;
    content.value = stand_ins_[i];
    BuilderState::set_content(*cells_[i], content);
  }
}

std::vector<CarriedValues::Change> CarriedValues::changes() const {
  std::vector<Change> changes;
  for (size_t i = 0; i < cells_.size(); ++i) {
    if (!cells_[i])
      continue;
    CellContent after = BuilderState::content(*cells_[i]);
    bool same = stand_ins_[i] ? after.value == stand_ins_[i] : after == before_[i];
    if (!same && after.has_value())
      changes.push_back({cells_[i], before_[i], after, stand_ins_[i]});
  }
  return changes;
}

void CarriedValues::restore() const {
  for (size_t i = 0; i < cells_.size(); ++i)
    if (cells_[i])
      BuilderState::set_content(*cells_[i], before_[i]);
}

void CarriedValues::drop_stand_ins(mlir::Block &body, const std::vector<Change> &kept) {
  for (size_t i = 0; i < cells_.size(); ++i) {
    mlir::BlockArgument argument = stand_ins_[i];
    if (!argument || llvm::any_of(kept, [&](const Change &change) { return change.stand_in == argument; }))
      continue;
    if (!argument.use_empty())
      argument.replaceAllUsesWith(state_.materialize(before_[i]));
    // Copies that were made in the body and live on hold the stand-in too.
    for (Cell *cell : state_.live_cells())
      if (BuilderState::value_of(*cell) == argument)
        BuilderState::set_content(*cell, before_[i]);
    body.eraseArgument(argument.getArgNumber());
  }
}

} // namespace tegula::dsl
