// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which warps play which role, and how many registers each gets.

#include "dialects/TileToWarp/Steps.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tegula;

namespace {

constexpr int64_t kWarpgroup = 4;
constexpr int64_t kRegisterFile = 65536; // an SM's; CUDA programming guide, "Technical Specifications"
constexpr int64_t kMaxThreads = 1024;

bool computesProducts(tile::RoleOp role) {
  return role.walk([](tile::MmaOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

bool holdsTiles(tile::RoleOp role) {
  return role
      .walk([](Operation *op) {
        bool tensor = llvm::any_of(op->getResultTypes(), [](Type type) { return isa<RankedTensorType>(type); });
        return tensor ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Registers for roles that do not say. Roles with products share what the others leave: 40 suffice for one that only
/// issues copies, 96 for one whose threads move tiles.
int64_t defaultRegisters(tile::RoleOp role, int64_t productGroups, int64_t otherGroups, int64_t otherRegisters) {
  if (!computesProducts(role))
    return otherRegisters;
  int64_t left = kRegisterFile / 128 - otherGroups * otherRegisters;
  return std::min<int64_t>(240, left / std::max<int64_t>(1, productGroups) / 8 * 8);
}

} // namespace

LogicalResult tegula::placeRoles(tile::KernelOp kernel) {
  auto roles = llvm::to_vector(kernel.getBody()->getOps<tile::RoleOp>());
  auto *dialect = kernel->getContext()->getOrLoadDialect<warp::WarpDialect>();
  Builder builder(kernel);
  bool budgets = roles.size() > 1 && llvm::any_of(roles, computesProducts);
  int64_t warps = 0, productGroups = 0, otherGroups = 0;
  bool othersHoldTiles = false;
  for (tile::RoleOp role : roles) {
    if (budgets)
      warps = llvm::alignTo(warps, kWarpgroup);
    dialect->getFirstWarpAttrHelper().setAttr(role, builder.getI64IntegerAttr(warps));
    warps += role.getTotalWarps();
    bool products = computesProducts(role);
    (products ? productGroups : otherGroups) += llvm::divideCeil(role.getTotalWarps(), kWarpgroup);
    othersHoldTiles |= !products && holdsTiles(role);
  }
  if (budgets)
    warps = llvm::alignTo(warps, kWarpgroup);
  if (warps * 32 > kMaxThreads)
    return kernel.emitError("roles need ") << warps * 32 << " threads; a block has at most " << kMaxThreads;
  dialect->getThreadsAttrHelper().setAttr(kernel, builder.getI64IntegerAttr(warps * 32));
  if (!budgets)
    return success();
  int64_t otherRegisters = othersHoldTiles ? 96 : productGroups > 2 ? 32 : 40;
  int64_t total = 0;
  for (tile::RoleOp role : roles) {
    int64_t registers = role.getRegisters() ? int64_t(*role.getRegisters())
                                            : defaultRegisters(role, productGroups, otherGroups, otherRegisters);
    total += registers * 32 * static_cast<int64_t>(llvm::alignTo(role.getTotalWarps(), kWarpgroup));
    dialect->getRegistersAttrHelper().setAttr(role, builder.getI64IntegerAttr(registers));
  }
  if (total > kRegisterFile)
    return kernel.emitError("roles ask for ") << total << " registers; an SM has " << kRegisterFile
                                              << ", lower a role's 'registers'";
  return success();
}
