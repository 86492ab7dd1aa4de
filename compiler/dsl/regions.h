// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Building what stands inside a role, a loop, a branch or a turn.
#pragma once

#include "compiler/dsl/builder_state.h"

namespace tegula::dsl {

/// Builds `body` at the end of `block` with `scope` around it; afterwards the next op goes where it went before.
void build_region(BuilderState &state, mlir::Block &block, Scope scope, const std::function<void()> &body);

/// The same for a region whose variables do not live on: assigning one from outside is an error that says `why`.
void build_closed_region(BuilderState &state, mlir::Block &block, Scope scope, const std::function<void()> &body,
                         std::string_view why);

} // namespace tegula::dsl
