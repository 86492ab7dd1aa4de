// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The end of a kernel's construction: its attributes, the role of a kernel without roles, the last checks.
#include <fmt/format.h>

#include "compiler/dsl/builder_state.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace tegula::dsl {
namespace {

/// Names, extents, alignments and dtypes of the arguments, in their order.
void set_arguments(BuilderState &state) {
  mlir::OpBuilder &b = state.builder;
  std::vector<mlir::Attribute> names, dims, dtypes;
  std::vector<int64_t> align;
  auto add = [&](const std::string &argument, DType dtype, int64_t promise) {
    names.push_back(b.getStringAttr(argument));
    dtypes.push_back(b.getStringAttr(name(dtype)));
    align.push_back(promise);
  };
  for (const GlobalArgument &global : state.globals) {
    if (global.is_window())
      continue;
    add(global.name, global.dtype, global.align);
    dims.push_back(global.dims);
  }
  for (const WordArgument &dim : state.dims)
    add(dim.name, dim.dtype, dim.multiple);
  for (const WordArgument &scalar : state.scalars)
    add(scalar.name, scalar.dtype, 0);
  state.kernel.setArgNamesAttr(b.getArrayAttr(names));
  state.kernel.setGlobalDimsAttr(b.getArrayAttr(dims));
  state.kernel.setArgDtypesAttr(b.getArrayAttr(dtypes));
  state.kernel.setMinAlignAttr(b.getI64ArrayAttr(align));
  if (!state.notes.empty())
    state.kernel.setScheduleAttr(b.getDictionaryAttr(state.notes));
}

/// What belongs to the kernel and not to its roles: rings, tiles of the block, index spaces, and what these need.
llvm::SmallPtrSet<mlir::Operation *, 16> declarations(mlir::Block &body) {
  llvm::SmallPtrSet<mlir::Operation *, 16> kept;
  for (mlir::Operation &op : llvm::reverse(body)) {
    bool declares = llvm::isa<tile::TilesOp, tile::RingOp, tile::AllocOp, mlir::arith::ConstantIndexOp>(op);
    bool needed = llvm::any_of(op.getUsers(), [&](mlir::Operation *user) {
      mlir::Operation *ancestor = body.findAncestorOpInBlock(*user);
      return ancestor && kept.contains(ancestor);
    });
    if (declares || needed)
      kept.insert(&op);
  }
  return kept;
}

/// A kernel without roles becomes one of a single role, so that nobody further down has to ask.
void wrap_in_role(BuilderState &state) {
  mlir::Block &body = *state.kernel.getBody();
  llvm::SmallPtrSet<mlir::Operation *, 16> kept = declarations(body);
  std::vector<mlir::Operation *> work;
  for (mlir::Operation &op : body)
    if (!kept.contains(&op))
      work.push_back(&op);
  if (work.empty())
    return;
  mlir::OpBuilder &b = state.builder;
  b.setInsertionPointToEnd(&body);
  auto role = tile::RoleOp::create(b, work.front()->getLoc(), b.getStringAttr("all"), b.getI64IntegerAttr(1),
                                   b.getI64IntegerAttr(state.default_warps), mlir::IntegerAttr());
  mlir::Block &block = role.getRegion().emplaceBlock();
  block.addArgument(b.getIndexType(), role.getLoc());
  for (mlir::Operation *op : work)
    op->moveBefore(&block, block.end());
  b.setInsertionPointToEnd(&block);
  tile::YieldOp::create(b, role.getLoc());
}

/// Register tiles and views that were made before the roles are made in each role that uses them: a register tile is
/// spread over the warps of one role.
void sink_into_roles(BuilderState &state) {
  mlir::Block &body = *state.kernel.getBody();
  for (mlir::Operation &op : llvm::make_early_inc_range(llvm::reverse(body))) {
    bool tile =
        llvm::any_of(op.getResultTypes(), llvm::IsaPred<mlir::RankedTensorType, tile::ViewType, tile::GlobalType>);
    if (!tile || !mlir::isPure(&op))
      continue;
    for (tile::RoleOp role : body.getOps<tile::RoleOp>()) {
      auto inside = [&](mlir::OpOperand &use) { return role->isProperAncestor(use.getOwner()); };
      if (llvm::none_of(op.getUses(), inside))
        continue;
      state.builder.setInsertionPointToStart(role.getBody());
      mlir::Operation *copy = state.builder.clone(op);
      op.replaceUsesWithIf(copy->getResults(), inside);
    }
    if (op.use_empty())
      op.erase();
  }
}

/// What the verifiers say, in our form.
void verify(BuilderState &state) {
  mlir::ScopedDiagnosticHandler handler(&state.module->context(), [&](mlir::Diagnostic &diagnostic) {
    Diagnostic error{state.place_of(diagnostic.getLocation()), diagnostic.str(), {}};
    for (mlir::Diagnostic &note : diagnostic.getNotes())
      if (!note.str().starts_with("see current operation"))
        error.notes.push_back({state.place_of(note.getLocation()), note.str()});
    state.errors.push_back(std::move(error));
    return mlir::success();
  });
  if (mlir::failed(mlir::verify(state.module->module())) && state.errors.empty())
    state.errors.push_back({state.scopes.front().place, "the kernel does not verify", {}});
}

} // namespace

Result<Kernel> KernelBuilder::finish(Where where) {
  BuilderState &state = *state_;
  if (state.finished) {
    state.errors.push_back({where, "finish() was called before", {}});
    return Error(ErrorCode::bad_argument, to_text(state.errors), where);
  }
  state.finished = true;
  std::vector<RoleShape> roles;
  for (const auto &[name, shape] : state.roles)
    roles.push_back(shape);
  if (state.errors.empty())
    if (std::optional<std::string> fault = budget_fault(roles))
      state.errors.push_back({state.scopes.front().place, *fault, {}});
  if (state.errors.empty()) {
    set_arguments(state);
    if (state.roles.empty())
      wrap_in_role(state);
    else
      sink_into_roles(state);
    state.builder.setInsertionPointToEnd(state.kernel.getBody());
    tile::ReturnOp::create(state.builder, state.kernel.getLoc());
    verify(state);
  }
  if (!state.errors.empty())
    return Error(ErrorCode::bad_argument, to_text(state.errors), where);
  std::shared_ptr<KernelModule> module = state.module;
  state.close();
  return Kernel(std::move(module));
}

} // namespace tegula::dsl
