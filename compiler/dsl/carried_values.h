// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How assignments to variables inside a region become values that the region takes and gives. A loop's body starts with
// a stand-in for every variable that is alive; what the body left unassigned gets its old value back, the rest is
// carried.
#pragma once

#include "compiler/dsl/builder_state.h"

namespace tegula::dsl {

/// The variables that were alive when a region was entered, with what they held.
class CarriedValues {
public:
  explicit CarriedValues(BuilderState &state);
  ~CarriedValues();
  CarriedValues(const CarriedValues &) = delete;

  /// For loops: gives each variable an argument of `body` in place of its value. To be called before the body is built.
  void stand_in(mlir::Block &body, const Place &place);

  /// A variable that was assigned in the region.
  struct Change {
    Cell *cell;
    CellContent before, after;
    mlir::BlockArgument stand_in; ///< of a loop
  };
  /// What changed since entry, oldest variable first. Variables that have gone and values that failed are left out.
  [[nodiscard]] std::vector<Change> changes() const;

  /// Gives every variable the value it had at entry.
  void restore() const;
  /// For loops: replaces the stand-ins of all variables but `kept` by the old values, and erases them.
  void drop_stand_ins(mlir::Block &body, const std::vector<Change> &kept);

private:
  BuilderState &state_;
  std::vector<Cell *> cells_; // null once gone
  std::vector<CellContent> before_;
  std::vector<mlir::BlockArgument> stand_ins_; // null where the variable had no value
};

} // namespace tegula::dsl
