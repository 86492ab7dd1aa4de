// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The builder's frame: roles, index spaces of tiles, the order of launches, facts about the schedule.
#include "compiler/dsl/kernel_builder.h"

#include <fmt/format.h>

#include "compiler/dsl/builder_state.h"
#include "compiler/dsl/regions.h"

namespace tegula::dsl {

KernelBuilder::KernelBuilder(std::string_view name, Target target, Where where)
    : state_(std::make_unique<BuilderState>(name, target, where)) {}
KernelBuilder::~KernelBuilder() = default;

//===--- roles ---===//

/// A role that can be built; what is wrong with it is reported, and put right so that its body is still looked at.
static RoleShape check_role(BuilderState &state, std::string_view name, RoleShape shape, const Where &where) {
  if (state.scopes.size() > 1)
    state.error(where, fmt::format("role '{}' stands inside {}; roles stand side by side in the kernel", name,
                                   state.scopes.back().what));
  auto same = [&](const auto &role) { return role.first == name; };
  if (llvm::any_of(state.roles, same))
    state.error(where, fmt::format("there is a role '{}' already; give each its own name", name));
  if (shape.instances < 1 || shape.warps < 1) {
    state.error(where, fmt::format("role '{}' has {} instance{} of {} warp{}; give it warps(n) or warpgroups(n), n at "
                                   "least 1",
                                   name, shape.instances, shape.instances == 1 ? "" : "s", shape.warps,
                                   shape.warps == 1 ? "" : "s"));
    shape.instances = std::max<int64_t>(1, shape.instances);
    shape.warps = std::max<int64_t>(1, shape.warps);
  }
  int64_t registers = shape.register_count;
  if (registers && (registers < 24 || registers > 256 || registers % 8))
    state.error(
        where, fmt::format("role '{}' asks for {} registers; a budget is a multiple of 8 in 24..256", name, registers));
  else if (registers && shape.instances * shape.warps % 4)
    state.error(where, fmt::format("role '{}' has {} warps and a budget of registers, which is given to whole "
                                   "warpgroups, 4 warps each",
                                   name, shape.instances * shape.warps));
  int64_t warps = 0;
  for (const auto &[other, other_shape] : state.roles)
    warps += other_shape.instances * other_shape.warps;
  int64_t own = shape.instances * shape.warps;
  if (warps <= kMaxWarps && warps + own > kMaxWarps)
    state.error(where, fmt::format("role '{}' brings the block to {} warps; it has at most {} (1024 threads)", name,
                                   warps + own, kMaxWarps));
  return shape;
}

void KernelBuilder::make_role(std::string_view name, RoleShape shape, const std::function<void(Role &)> &body,
                              Where where) {
  BuilderState &state = *state_;
  size_t before = state.errors.size();
  shape = check_role(state, name, shape, where);
  bool sound = state.errors.size() == before;
  state.roles.emplace_back(std::string(name), shape);
  mlir::OpBuilder::InsertionGuard guard(state.builder);
  state.builder.setInsertionPointToEnd(state.kernel.getBody());
  mlir::IntegerAttr registers =
      sound && shape.register_count ? state.builder.getI64IntegerAttr(shape.register_count) : mlir::IntegerAttr();
  auto op = tile::RoleOp::create(state.builder, state.location(where), state.builder.getStringAttr(name),
                                 state.builder.getI64IntegerAttr(shape.instances),
                                 state.builder.getI64IntegerAttr(shape.warps), registers);
  mlir::Block &block = op.getRegion().emplaceBlock();
  Role role;
  role.index_ = state.index(block.addArgument(state.builder.getIndexType(), op.getLoc()));
  role.instances_ = shape.instances;
  std::optional<RoleShape> outer = state.role_;
  state.role_ = shape;
  build_closed_region(
      state, block, {Scope::Kind::role, where, fmt::format("role '{}'", name)}, [&] { body(role); },
      "a variable from outside the role is assigned in it; values do not leave a role, so declare it "
      "inside");
  state.role_ = outer;
  state.builder.setInsertionPointToEnd(&block);
  tile::YieldOp::create(state.builder, op.getLoc());
}

void KernelBuilder::warps(int64_t count, Where where) {
  if (count < 1 || count > kMaxWarps)
    state_->error(where, fmt::format("the kernel is given {} warps; a block has 1 to {}", count, kMaxWarps));
  else
    state_->default_warps = count;
}

//===--- tiles ---===//

Tiles KernelBuilder::make_tiles(std::span<const Index> extents, int64_t raster, bool persistent, Walk walk,
                                Where where) {
  BuilderState &state = *state_;
  Tiles tiles;
  tiles.state_ = &state;
  std::vector<mlir::Value> values;
  for (const Index &extent : extents)
    if (mlir::Value value = state.use_index(extent, where))
      values.push_back(value);
  bool sound = values.size() == extents.size();
  if (extents.empty() || extents.size() > 3) {
    state.error(where, fmt::format("the index space has {} dims; it must have 1 to 3", extents.size()));
    sound = false;
  }
  if (raster < 1) {
    state.error(where, fmt::format("raster is {}; it must be at least 1", raster));
    sound = false;
  }
  if (state.scopes.size() > 1) {
    state.error(where, fmt::format("the index space is declared inside {}; declare it in the kernel",
                                   state.scopes.back().what));
    sound = false;
  }
  if (!sound)
    return tiles;
  auto type = tile::TilesType::get(&state.module->context(), static_cast<int>(values.size()));
  auto unit_if = [&](bool set) { return set ? state.builder.getUnitAttr() : mlir::UnitAttr(); };
  auto op =
      tile::TilesOp::create(state.builder, state.location(where), type, values, state.builder.getI64IntegerAttr(raster),
                            unit_if(persistent), unit_if(walk == Walk::serpentine));
  tiles.value_ = op.getResult().getAsOpaquePointer();
  return tiles;
}

Tiles KernelBuilder::grid(std::initializer_list<Index> extents, int64_t raster, Where where) {
  return make_tiles({extents.begin(), extents.size()}, raster, false, Walk::forward, where);
}

Tiles KernelBuilder::persistent(std::initializer_list<Index> extents, int64_t raster, Walk walk, Where where) {
  return make_tiles({extents.begin(), extents.size()}, raster, true, walk, where);
}

void Tiles::walk_tiles(int rank, const std::function<void(std::span<const Index>)> &body, bool alternate,
                       Where where) const {
  BuilderState *state = state_ ? state_ : BuilderState::current();
  if (!state)
    return;
  mlir::Value tiles = mlir::Value::getFromOpaquePointer(value_);
  if (!state_)
    state->error(where, "an index space is used before it was given a value");
  if (!tiles || state->finished)
    return;
  int own = llvm::cast<tile::TilesType>(tiles.getType()).getRank();
  if (own != rank) {
    state->error(where,
                 fmt::format("the body takes {} coordinate{}; the index space has {}", rank, rank == 1 ? "" : "s", own),
                 {{state->place_of(tiles.getLoc()), "it is declared here"}});
    return;
  }
  auto outer = llvm::find_if(state->scopes, [](const Scope &scope) { return scope.kind == Scope::Kind::tiles; });
  if (outer != state->scopes.end()) {
    state->error(where, "a walk over tiles stands inside another; use a loop for the inner one",
                 {{outer->place, "the outer walk begins here"}});
    return;
  }
  auto op = tile::ForTilesOp::create(state->builder, state->location(where), tiles,
                                     alternate ? state->builder.getUnitAttr() : mlir::UnitAttr());
  mlir::Block &block = op.getRegion().emplaceBlock();
  std::vector<Index> coordinates;
  for (int dim = 0; dim < rank; ++dim)
    coordinates.push_back(state->index(block.addArgument(state->builder.getIndexType(), op.getLoc())));
  build_closed_region(
      *state, block, {Scope::Kind::tiles, where, "the walk over tiles", alternate}, [&] { body(coordinates); },
      "a variable from outside is assigned in the work on one tile; values do not carry from tile to "
      "tile, so declare it inside");
  mlir::OpBuilder::InsertionGuard guard(state->builder);
  state->builder.setInsertionPointToEnd(&block);
  tile::YieldOp::create(state->builder, op.getLoc());
}

//===--- launches and schedule ---===//

void KernelBuilder::wait_for_prior(Where where) {
  tile::GriddepWaitOp::create(state_->builder, state_->location(where));
}

void KernelBuilder::allow_next(Where where) { tile::GriddepLaunchOp::create(state_->builder, state_->location(where)); }

void KernelBuilder::cluster(int64_t blocks, Where where) {
  if (blocks < 1 || blocks > 16 || (blocks & (blocks - 1))) {
    state_->error(where, fmt::format("the cluster has {} blocks; it must have 1, 2, 4, 8 or 16", blocks));
    return;
  }
  state_->kernel.setCluster({blocks, 1, 1});
}

void KernelBuilder::note(std::string_view key, int64_t value) {
  state_->notes.push_back(state_->builder.getNamedAttr(key, state_->builder.getI64IntegerAttr(value)));
}

void KernelBuilder::note(std::string_view key, std::string_view value) {
  state_->notes.push_back(state_->builder.getNamedAttr(key, state_->builder.getStringAttr(value)));
}

KernelBuilder::CallScope KernelBuilder::called_from(Where where) {
  state_->calls.push_back(where);
  return CallScope(state_.get());
}

KernelBuilder::CallScope::~CallScope() { state_->calls.pop_back(); }

} // namespace tegula::dsl
