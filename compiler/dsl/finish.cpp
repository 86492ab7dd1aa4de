// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The end of a kernel's construction: its attributes, the role of a kernel without roles, the last checks.
#include <fmt/format.h>

#include "compiler/dsl/builder_state.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "mlir/IR/Verifier.h"

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

/// Whether an op, or one inside it, touches memory or tiles of the grid.
bool does_work(mlir::Operation *op) {
  return op
      ->walk([](mlir::Operation *inner) {
        bool works = llvm::isa<tile::ForTilesOp, tile::ProduceOp, tile::ConsumeOp, tile::CopyOp, tile::LoadOp,
                               tile::StoreOp, tile::ReadOp, tile::MmaOp, tile::GriddepWaitOp, tile::GriddepLaunchOp>(
            inner);
        return works ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether an op uses, directly or from inside, what one of `moved` computes.
bool depends_on(mlir::Operation *op, const llvm::SmallPtrSetImpl<mlir::Operation *> &moved) {
  return op
      ->walk([&](mlir::Operation *inner) {
        for (mlir::Value operand : inner->getOperands())
          if (mlir::Operation *source = operand.getDefiningOp(); source && moved.contains(source))
            return mlir::WalkResult::interrupt();
        return mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// A kernel without roles becomes one of a single role, so that nobody further down has to ask.
void wrap_in_role(BuilderState &state) {
  if (!state.roles.empty())
    return;
  mlir::Block &body = *state.kernel.getBody();
  std::vector<mlir::Operation *> work;
  llvm::SmallPtrSet<mlir::Operation *, 16> moved;
  for (mlir::Operation &op : body)
    if (does_work(&op) || depends_on(&op, moved)) {
      work.push_back(&op);
      moved.insert(&op);
    }
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
    state.error(where, "finish() was called before");
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
    wrap_in_role(state);
    state.builder.setInsertionPointToEnd(state.kernel.getBody());
    tile::ReturnOp::create(state.builder, state.kernel.getLoc());
    verify(state);
  }
  if (!state.errors.empty())
    return Error(ErrorCode::bad_argument, to_text(state.errors), where);
  return Kernel(std::move(state.module));
}

} // namespace tegula::dsl
