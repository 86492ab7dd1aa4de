// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which warps play which role, and how many registers each gets.

#include "dialects/TileToWarp/Steps.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tegula;

namespace {

constexpr int64_t kWarpgroup = 4;
constexpr int64_t kRegisterFile = 65536; // an SM's; CUDA programming guide, "Technical Specifications"

/// Registers that a warpgroup of each role may share out: what launch bounds leave a thread at entry, a multiple of 8,
/// for all warpgroups (PTX ISA 9.0, setmaxnreg: the pool is the block's).
int64_t registerPool(int64_t warps) {
  int64_t threads = warps * 32;
  return kRegisterFile / threads / 8 * 8 * threads / 128;
}
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
/// issues copies, 128 for one whose threads move tiles.
int64_t defaultRegisters(tile::RoleOp role, int64_t pool, int64_t productGroups, int64_t otherGroups,
                         int64_t otherRegisters) {
  if (!computesProducts(role))
    return otherRegisters;
  int64_t left = pool - otherGroups * otherRegisters;
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
  int64_t otherRegisters = othersHoldTiles ? 128 : productGroups > 2 ? 32 : 40;
  int64_t pool = registerPool(warps), total = 0;
  for (tile::RoleOp role : roles) {
    int64_t registers = role.getRegisters() ? int64_t(*role.getRegisters())
                                            : defaultRegisters(role, pool, productGroups, otherGroups, otherRegisters);
    total += registers * static_cast<int64_t>(llvm::divideCeil(role.getTotalWarps(), kWarpgroup));
    dialect->getRegistersAttrHelper().setAttr(role, builder.getI64IntegerAttr(registers));
  }
  if (total > pool)
    return kernel.emitError("roles ask for ") << total * 128 << " registers; a block of " << warps * 32
                                              << " threads has " << pool * 128 << ", lower a role's 'registers'";
  return success();
}
