// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows of tensors: for threads, a tensor that begins and ends elsewhere; for TMA, two numbers that enter coordinates.

#include "dialects/WarpToNV/Lowerings.h"
#include "runtime/launch/tensor_window.h"

using namespace mlir;
using namespace tegula;

static Value clamp(Emitter &e, Value value, Value most) {
  Value positive = arith::MaxSIOp::create(e.b, e.asI64(value), e.i64(0));
  return arith::MinSIOp::create(e.b, positive, most);
}

LogicalResult tegula::emitWindow(Emitter &e, tile::WindowOp op) {
  auto dim = static_cast<size_t>(op.getDim());
  tile::GlobalType type = op.getSource().getType();
  GlobalArgument window = e.global(op.getSource());
  Value extent = window.extents[dim];
  Value first = clamp(e, e.lookup(op.getFirst()), extent);
  Value count = clamp(e, e.lookup(op.getCount()), arith::SubIOp::create(e.b, extent, first));
  Value bytes = e.i64(type.getElementBytes());
  if (static_cast<int>(dim) != type.getUnitDim())
    bytes = e.mul(window.strides[dim], bytes);
  window.pointer = nv::GlobalOffsetOp::create(e.b, window.pointer, e.mul(first, bytes));
  window.extents[dim] = count;
  Value shift = arith::SubIOp::create(e.b, e.i32(kWindowRows), e.asI32(count));
  window.window = {static_cast<int>(dim), shift, e.add(e.asI32(first), e.asI32(count))};
  e.bindGlobal(op.getResult(), std::move(window));
  return success();
}
