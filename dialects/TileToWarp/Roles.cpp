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

int64_t groupsOf(tile::RoleOp role) { return static_cast<int64_t>(llvm::divideCeil(role.getTotalWarps(), kWarpgroup)); }

/// Shares out the registers of a block. Roles that do not say get: those with products what the others leave; the others
/// 40 where they only issue copies and 128 where their threads move tiles, or, if all products say, what these leave.
class RegisterBudgets {
public:
  RegisterBudgets(ArrayRef<tile::RoleOp> roles, int64_t pool) : left(pool) {
    for (tile::RoleOp role : roles) {
      if (role.getRegisters())
        left -= static_cast<int64_t>(*role.getRegisters()) * groupsOf(role);
      else
        (computesProducts(role) ? productGroups : otherGroups) += groupsOf(role);
      othersHoldTiles |= !computesProducts(role) && holdsTiles(role);
    }
  }

  int64_t of(tile::RoleOp role) const {
    if (role.getRegisters())
      return static_cast<int64_t>(*role.getRegisters());
    return computesProducts(role) ? share(left - otherGroups * others(), productGroups, kMost) : others();
  }

private:
  static constexpr int64_t kMost = 240, kIssuesCopies = 40, kMovesTiles = 128;

  static int64_t share(int64_t registers, int64_t groups, int64_t most) {
    return std::min(most, registers / std::max<int64_t>(1, groups) / 8 * 8);
  }
  int64_t others() const {
    if (productGroups == 0)
      return std::max<int64_t>(24, share(left, otherGroups, kMovesTiles));
    return othersHoldTiles ? kMovesTiles : productGroups > 2 ? kIssuesCopies - 8 : kIssuesCopies;
  }

  int64_t left;
  int64_t productGroups = 0, otherGroups = 0; // of roles that do not say
  bool othersHoldTiles = false;
};

} // namespace

LogicalResult tegula::placeRoles(tile::KernelOp kernel) {
  auto roles = llvm::to_vector(kernel.getBody()->getOps<tile::RoleOp>());
  auto *dialect = kernel->getContext()->getOrLoadDialect<warp::WarpDialect>();
  Builder builder(kernel);
  bool budgets = roles.size() > 1 && llvm::any_of(roles, computesProducts);
  int64_t warps = 0;
  for (tile::RoleOp role : roles) {
    if (budgets)
      warps = llvm::alignTo(warps, kWarpgroup);
    dialect->getFirstWarpAttrHelper().setAttr(role, builder.getI64IntegerAttr(warps));
    warps += role.getTotalWarps();
  }
  if (budgets)
    warps = llvm::alignTo(warps, kWarpgroup);
  if (warps * 32 > kMaxThreads)
    return kernel.emitError("roles need ") << warps * 32 << " threads; a block has at most " << kMaxThreads;
  dialect->getThreadsAttrHelper().setAttr(kernel, builder.getI64IntegerAttr(warps * 32));
  if (!budgets)
    return success();
  int64_t pool = registerPool(warps), total = 0;
  RegisterBudgets registers(roles, pool);
  for (tile::RoleOp role : roles) {
    total += registers.of(role) * groupsOf(role);
    dialect->getRegistersAttrHelper().setAttr(role, builder.getI64IntegerAttr(registers.of(role)));
  }
  if (total > pool)
    return kernel.emitError("roles ask for ") << total * 128 << " registers; a block of " << warps * 32
                                              << " threads has " << pool * 128 << ", lower a role's 'registers'";
  return success();
}
