// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Single elements of tensors: every thread that comes through reads the same one.

#include "dialects/WarpToNV/Lowerings.h"

using namespace mlir;
using namespace tegula;

LogicalResult tegula::emitRead(Emitter &e, tile::ReadOp op) {
  tile::GlobalType type = op.getSource().getType();
  const GlobalArgument &global = e.global(op.getSource());
  Value pointer = global.pointer, inside;
  for (auto [dim, index] : llvm::enumerate(op.getIndices())) {
    Value position = e.asI64(e.lookup(index));
    // As unsigned numbers, indices below zero are beyond every extent.
    Value fits = arith::CmpIOp::create(e.b, arith::CmpIPredicate::ult, position, global.extents[dim]);
    inside = e.both(inside, fits);
    Value bytes = e.i64(type.getElementBytes());
    if (static_cast<int>(dim) != type.getUnitDim())
      bytes = e.mul(global.strides[dim], bytes);
    pointer = nv::GlobalOffsetOp::create(e.b, pointer, e.mul(position, bytes));
  }
  auto one = VectorType::get(1, type.getElementType());
  Value loaded = nv::LdGlobalOp::create(e.b, one, pointer, inside); // zero where it is not inside
  e.bind(op.getResult(), e.element(loaded, 0));
  return success();
}
