// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/WarpToNV/TensorMaps.h"

using namespace mlir;
using namespace tegula;

namespace tegula {
DType dtypeOf(Type type); // Kernel.cpp
}

LogicalResult TensorMaps::collect(tile::KernelOp kernel) {
  WalkResult result = kernel.walk([&](Operation *op) {
    LogicalResult added = success();
    if (auto load = dyn_cast<warp::TmaLoadOp>(op)) {
      layout::TmaParts parts;
      if (auto dim = load.getMulticast())
        parts = {static_cast<int64_t>(load.getRing().getDefiningOp<warp::RingOp>().getBlocks()),
                 static_cast<int>(*dim)};
      added = add(op, load.getSource(), warp::layoutOf(load.getSlot().getType()), parts);
    } else if (auto store = dyn_cast<warp::TmaStoreOp>(op)) {
      layout::SharedLayout piece = warp::layoutOf(store.getStaging().getType());
      piece.shape.erase(piece.shape.begin());
      piece.unit_dim -= 1;
      piece.matrix_bytes = 0;
      added = add(op, store.getDestination(), piece, {});
    }
    return failed(added) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult TensorMaps::add(Operation *op, Value global, const layout::SharedLayout &layout, layout::TmaParts parts) {
  auto plan = layout::plan_tma(layout, parts);
  if (!plan)
    return op->emitOpError("cannot be done by TMA: ") << plan.reason();
  BlockArgument argument = tile::argumentOf(global);
  auto type = cast<tile::GlobalType>(global.getType());
  auto kernel = cast<tile::KernelOp>(argument.getOwner()->getParentOp());
  TmaUse use;
  use.plan = *plan;
  use.droppedDims = static_cast<int>(type.getRank()) - layout.rank();
  TensorMapInfo info;
  info.global = kernel.getArgName(argument.getArgNumber()).str();
  info.box.assign(plan->box.begin(), plan->box.end());
  info.swizzle = plan->swizzle;
  info.dtype = dtypeOf(type.getElementType());
  for (int dim : plan->dims)
    use.tensorDims.push_back(dim + use.droppedDims);
  for (int dim = use.droppedDims - 1; dim >= 0; --dim) {
    use.tensorDims.push_back(dim);
    info.box.push_back(1);
  }
  info.order.assign(use.tensorDims.begin(), use.tensorDims.end());
  if (auto window = global.getDefiningOp<tile::WindowOp>())
    info.window = static_cast<int>(window.getDim());
  use.map = mapFor(std::move(info));
  uses[op] = use;
  return success();
}

int TensorMaps::mapFor(TensorMapInfo info) {
  auto found = std::find(maps.begin(), maps.end(), info);
  if (found == maps.end())
    found = maps.insert(maps.end(), std::move(info));
  return static_cast<int>(found - maps.begin());
}
