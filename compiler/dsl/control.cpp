// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops, branches and turns, with the variables that they carry.
#include <fmt/format.h>

#include "compiler/dsl/carried_values.h"
#include "compiler/dsl/regions.h"
#include "dialects/Tile/IR/ShapeText.h"

namespace tegula::dsl {

void build_region(BuilderState &state, mlir::Block &block, Scope scope, const std::function<void()> &body) {
  mlir::OpBuilder::InsertionGuard guard(state.builder);
  state.builder.setInsertionPointToEnd(&block);
  state.scopes.push_back(std::move(scope));
  body();
  state.scopes.pop_back();
}

void build_closed_region(BuilderState &state, mlir::Block &block, Scope scope, const std::function<void()> &body,
                         std::string_view why) {
  CarriedValues values(state);
  Place place = scope.place;
  build_region(state, block, std::move(scope), body);
  for (const CarriedValues::Change &change : values.changes()) {
    if (!change.before.has_value())
      continue; // a variable that only this region uses
    Place assigned = change.after.value ? state.place_of(change.after.value.getLoc()) : place;
    state.error(assigned, std::string(why), {{place, "it begins here"}});
  }
  values.restore();
}

//===--- what a variable may become ---===//

static std::string type_text(mlir::Type type, DType dtype) {
  if (auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type))
    return fmt::format("{} {}", tile::shapeText(tensor.getShape()), name(dtype));
  return type.isIndex() ? "an index" : fmt::format("a scalar {}", name(dtype));
}

static mlir::Type type_of(BuilderState &state, const CellContent &content) {
  return content.is_constant ? mlir::Type(state.builder.getIndexType()) : content.value.getType();
}

/// Whether a variable keeps its dtype and shape; where not, an error tells both.
static bool keeps_type(BuilderState &state, const CellContent &before, const CellContent &after, const Place &place,
                       std::string_view construct) {
  mlir::Type old_type = type_of(state, before), new_type = type_of(state, after);
  if (old_type == new_type && before.dtype == after.dtype)
    return true;
  std::vector<Note> notes;
  if (after.value)
    notes.push_back({state.place_of(after.value.getLoc()), "the new value is computed here"});
  state.error(place,
              fmt::format("{} changes a variable from {} to {}; it must keep its dtype and shape", construct,
                          type_text(old_type, before.dtype), type_text(new_type, after.dtype)),
              std::move(notes));
  return false;
}

/// Sets the variables to the results of the op that replaced the region.
static void set_results(const std::vector<CarriedValues::Change> &changes, mlir::ValueRange results) {
  for (auto [change, result] : llvm::zip_equal(changes, results)) {
    if (!change.cell)
      continue;
    CellContent content = change.after;
    content.value = result;
    content.is_constant = false;
    BuilderState::set_content(*change.cell, content);
  }
}

//===--- loop ---===//

/// Rebuilds a loop that carries nothing as one that carries `changes`.
static void carry(BuilderState &state, mlir::scf::ForOp loop, const std::vector<CarriedValues::Change> &changes) {
  std::vector<mlir::Value> inits, yields;
  for (const CarriedValues::Change &change : changes) {
    inits.push_back(state.materialize(change.before));
    yields.push_back(state.materialize(change.after));
  }
  mlir::Operation *terminator = loop.getBody()->getTerminator();
  state.builder.setInsertionPoint(terminator);
  mlir::scf::YieldOp::create(state.builder, terminator->getLoc(), yields);
  terminator->erase();
  state.builder.setInsertionPoint(loop);
  auto carrying = mlir::scf::ForOp::create(state.builder, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
                                           loop.getStep(), inits);
  carrying.getRegion().takeBody(loop.getRegion());
  loop.erase();
  state.builder.setInsertionPointAfter(carrying);
  set_results(changes, carrying.getResults());
}

void KernelBuilder::make_loop(const Index &begin, const Index &end, const Index &step,
                              const std::function<void(const Index &)> &body, Where where) {
  BuilderState &state = *state_;
  auto bound = [&](const Index &index) {
    mlir::Value value = state.use_index(index, where);
    return value ? value : state.index_constant(1); // reported; the body is still looked at
  };
  std::optional<int64_t> constant_step = BuilderState::constant_of(step);
  if (constant_step && *constant_step < 1) {
    state.error(where, fmt::format("the loop's step is {}; it must be at least 1", *constant_step));
    return;
  }
  mlir::Value lower = bound(begin), upper = bound(end), stride = bound(step);
  auto loop = mlir::scf::ForOp::create(state.builder, state.location(where), lower, upper, stride);
  mlir::Block &block = *loop.getBody();
  CarriedValues values(state);
  {
    mlir::OpBuilder::InsertionGuard guard(state.builder);
    state.builder.setInsertionPoint(block.getTerminator());
    values.stand_in(block, where);
    state.scopes.push_back({Scope::Kind::loop, where, "a loop"});
    body(state.index(loop.getInductionVar()));
    state.scopes.pop_back();
  }
  std::vector<CarriedValues::Change> changes;
  for (CarriedValues::Change &change : values.changes()) {
    if (!change.stand_in) { // it had no value before: there is nothing to carry, and using it later is an error
      if (change.before.failed)
        BuilderState::set_content(*change.cell, change.before);
      continue;
    }
    if (keeps_type(state, change.before, change.after, where, "the loop"))
      changes.push_back(change);
    else
      BuilderState::set_content(*change.cell, {{}, 0, false, true, change.before.dtype});
  }
  values.drop_stand_ins(block, changes);
  for (CarriedValues::Change &change : changes) // a change to what another variable held before the loop
    change.after = BuilderState::content(*change.cell);
  if (!changes.empty())
    carry(state, loop, changes);
}

//===--- when ---===//

/// A variable that at least one branch assigned, with the value that each branch leaves.
struct Merge {
  Cell *cell;
  CellContent then, otherwise;
};

static std::vector<Merge> merge(const std::vector<CarriedValues::Change> &then,
                                const std::vector<CarriedValues::Change> &otherwise) {
  std::vector<Merge> merged;
  for (const CarriedValues::Change &change : then)
    merged.push_back({change.cell, change.after, change.before});
  for (const CarriedValues::Change &change : otherwise) {
    auto same = llvm::find_if(merged, [&](const Merge &m) { return m.cell == change.cell; });
    if (same != merged.end())
      same->otherwise = change.after;
    else
      merged.push_back({change.cell, change.before, change.after});
  }
  return merged;
}

/// Rebuilds a branch that gives nothing as one that gives `merged`.
static void give(BuilderState &state, mlir::scf::IfOp branch, const std::vector<Merge> &merged) {
  std::vector<mlir::Value> then, otherwise;
  std::vector<mlir::Type> types;
  for (const Merge &m : merged) {
    then.push_back(state.materialize(m.then));
    otherwise.push_back(state.materialize(m.otherwise));
    types.push_back(then.back().getType());
  }
  auto yield = [&](mlir::Block *block, const std::vector<mlir::Value> &values) {
    mlir::Operation *terminator = block->getTerminator();
    state.builder.setInsertionPoint(terminator);
    mlir::scf::YieldOp::create(state.builder, terminator->getLoc(), values);
    terminator->erase();
  };
  yield(branch.thenBlock(), then);
  yield(branch.elseBlock(), otherwise);
  state.builder.setInsertionPoint(branch);
  auto giving = mlir::scf::IfOp::create(state.builder, branch.getLoc(), types, branch.getCondition(),
                                        /*addThenBlock=*/false, /*addElseBlock=*/false);
  giving.getThenRegion().takeBody(branch.getThenRegion());
  giving.getElseRegion().takeBody(branch.getElseRegion());
  branch.erase();
  state.builder.setInsertionPointAfter(giving);
  for (auto [m, result] : llvm::zip_equal(merged, giving.getResults()))
    BuilderState::set_content(*m.cell, {result, 0, false, false, m.then.dtype});
}

void KernelBuilder::when(const Scalar &condition, const std::function<void()> &then,
                         const std::function<void()> &otherwise, Where where) {
  BuilderState &state = *state_;
  mlir::Value value = state.use(condition, where, "condition");
  if (value && condition.dtype() != i1) {
    state.error(where, fmt::format("the condition is {}; compare it with something first", name(condition.dtype())));
    value = {};
  }
  if (!value) // reported; the branches are still looked at
    value = state.number_constant(state.builder.getI1Type(), 0, 0, where);
  auto branch = mlir::scf::IfOp::create(state.builder, state.location(where), value, /*withElseRegion=*/true);
  CarriedValues values(state);
  auto build = [&](mlir::Block *block, const std::function<void()> &body) {
    mlir::OpBuilder::InsertionGuard guard(state.builder);
    state.builder.setInsertionPoint(block->getTerminator());
    state.scopes.push_back({Scope::Kind::branch, where, "a branch"});
    if (body)
      body();
    state.scopes.pop_back();
    std::vector<CarriedValues::Change> changes = values.changes();
    values.restore();
    return changes;
  };
  std::vector<CarriedValues::Change> in_then = build(branch.thenBlock(), then);
  std::vector<CarriedValues::Change> in_else = build(branch.elseBlock(), otherwise);
  std::vector<Cell *> alive = state.live_cells();
  std::vector<Merge> merged;
  for (const Merge &m : merge(in_then, in_else)) {
    if (!llvm::is_contained(alive, m.cell))
      continue;
    if (m.then.has_value() && m.otherwise.has_value()) {
      if (keeps_type(state, m.otherwise, m.then, where, "the branch"))
        merged.push_back(m);
      else
        BuilderState::set_content(*m.cell, {{}, 0, false, true, m.then.dtype});
    } else {
      // Assigned on one side, without a value before: usable inside only, and a use after it says so.
      BuilderState::set_content(*m.cell, m.then.has_value() ? m.then : m.otherwise);
    }
  }
  bool empty_else = branch.elseBlock()->getOperations().size() == 1;
  if (!merged.empty())
    give(state, branch, merged);
  else if (empty_else)
    branch.elseBlock()->erase();
}

//===--- turn ---===//

void KernelBuilder::turn(const Role &role, const std::function<void()> &body, Where where) {
  BuilderState &state = *state_;
  mlir::Value instance = state.use_index(role.index(), where);
  if (!instance) {
    body();
    return;
  }
  mlir::Location location = state.location(where);
  auto turn = tile::TurnOp::create(state.builder, location, mlir::TypeRange(), instance);
  mlir::Block &block = turn.getRegion().emplaceBlock();
  CarriedValues values(state);
  build_region(state, block, {Scope::Kind::turn, where, "a turn"}, body);
  std::vector<CarriedValues::Change> changes = values.changes();
  std::vector<mlir::Value> yields;
  std::vector<mlir::Type> types;
  for (const CarriedValues::Change &change : changes) {
    yields.push_back(state.materialize(change.after));
    types.push_back(yields.back().getType());
  }
  state.builder.setInsertionPointToEnd(&block);
  tile::YieldOp::create(state.builder, location, yields);
  state.builder.setInsertionPoint(turn);
  auto giving = tile::TurnOp::create(state.builder, location, types, instance);
  giving.getRegion().takeBody(turn.getRegion());
  turn.erase();
  state.builder.setInsertionPointAfter(giving);
  set_results(changes, giving.getResults());
}

} // namespace tegula::dsl
