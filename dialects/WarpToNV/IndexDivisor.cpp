// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/WarpToNV/IndexDivisor.h"
#include "dialects/Tile/IR/TileDialect.h"

#include <numeric>

using namespace mlir;
using namespace tegula;

int64_t tegula::divisorOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *owner = argument.getOwner()->getParentOp();
    if (auto kernel = dyn_cast<tile::KernelOp>(owner))
      return std::max<int64_t>(1, kernel.getArgAlign(argument.getArgNumber()));
    if (auto loop = dyn_cast<scf::ForOp>(owner); loop && argument == loop.getInductionVar())
      return std::max<int64_t>(1, std::gcd(divisorOf(loop.getLowerBound()), divisorOf(loop.getStep())));
    return 1;
  }
  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto integer = dyn_cast<IntegerAttr>(constant.getValue());
    return integer ? std::abs(integer.getInt()) : 1;
  }
  if (isa<arith::MulIOp>(op))
    return divisorOf(op->getOperand(0)) * divisorOf(op->getOperand(1));
  if (isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp>(op))
    return std::gcd(divisorOf(op->getOperand(0)), divisorOf(op->getOperand(1)));
  if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(op))
    return divisorOf(op->getOperand(0));
  return 1;
}
