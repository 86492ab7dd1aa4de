// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How operands of different rank meet: the rule that elementwise.h states.
#pragma once

#include "compiler/dsl/builder_state.h"

namespace tegula::dsl {

/// A register tile about to meet others.
struct Meeting {
  mlir::Value value;
  int dim = -1; ///< of a vector: the dim of the matrix that it goes along; -1: the one whose extent is its length
};

/// Gives all tiles one shape, by broadcasts where needed. False after an error, which was reported.
bool broadcast_together(BuilderState &state, std::vector<Meeting> &tiles, const Where &where);

} // namespace tegula::dsl
