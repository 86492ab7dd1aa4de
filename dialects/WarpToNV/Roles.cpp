// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which warp runs which role. Each role is one branch of a chain of if/else, entered by whole warpgroups where registers
// are moved between roles: setmaxnreg wants all warps of a warpgroup (PTX ISA 9.0, setmaxnreg).

#include "dialects/WarpToNV/Lowerings.h"

using namespace mlir;
using namespace tegula;

namespace {

constexpr int64_t kWarpgroup = 4;
constexpr int64_t kNamedBarriers = 16; // PTX ISA 9.0, barrier

/// A role in which nothing needs more than one thread: it only waits, computes indices and starts TMA copies.
bool needsOneThread(tile::RoleOp role) {
  bool onlyLoads = false;
  bool simple = !role.walk([&](Operation *op) {
                       onlyLoads |= isa<warp::TmaLoadOp>(op);
                       if (auto commit = dyn_cast<warp::CommitOp>(op); commit && commit.getFence())
                         return WalkResult::interrupt();
                       if (isa<warp::AcquireOp, warp::CommitOp, warp::TmaLoadOp, tile::ForTilesOp, tile::YieldOp,
                               tile::GriddepWaitOp, tile::GriddepLaunchOp, tile::RoleOp, tile::ReadOp, tile::WindowOp,
                               tile::SubviewOp>(op))
                         return WalkResult::advance();
                       if (isa<tile::TileDialect, warp::WarpDialect>(op->getDialect()))
                         return WalkResult::interrupt();
                       return WalkResult::advance();
                     })
                     .wasInterrupted();
  return simple && onlyLoads && role.getTotalWarps() == 1;
}

class RoleDispatch {
public:
  explicit RoleDispatch(Emitter &e) : e(e), dialect(*e.kernel->getContext()->getLoadedDialect<warp::WarpDialect>()) {}

  LogicalResult emitShared() {
    for (Operation &op : e.kernel.getBody()->without_terminator())
      if (!isa<tile::RoleOp>(op) && failed(e.emit(&op)))
        return failure();
    return success();
  }

  LogicalResult emitChain(ArrayRef<tile::RoleOp> roles) {
    if (roles.empty())
      return success();
    tile::RoleOp role = roles.front();
    int64_t end = firstWarp(role) + role.getTotalWarps();
    if (hasBudget(role))
      end = static_cast<int64_t>(llvm::alignTo(end, kWarpgroup));
    if (roles.size() == 1 && int64_t(e.target.getThreads()) == end * 32)
      return emitBranch(role, end);
    Value mine = arith::CmpIOp::create(e.b, arith::CmpIPredicate::ult, e.warpId, e.i32(end));
    auto branch = scf::IfOp::create(e.b, mine, /*withElseRegion=*/roles.size() > 1);
    OpBuilder::InsertionGuard guard(e.b);
    e.b.setInsertionPointToStart(branch.thenBlock());
    if (failed(emitBranch(role, end)))
      return failure();
    if (roles.size() == 1)
      return success();
    e.b.setInsertionPointToStart(branch.elseBlock());
    return emitChain(roles.drop_front());
  }

private:
  int64_t firstWarp(tile::RoleOp role) { return dialect.getFirstWarpAttrHelper().getAttr(role).getInt(); }
  bool hasBudget(tile::RoleOp role) { return dialect.getRegistersAttrHelper().isAttrPresent(role); }

  LogicalResult emitBranch(tile::RoleOp role, int64_t branchEnd) {
    if (hasBudget(role))
      moveRegisters(dialect.getRegistersAttrHelper().getAttr(role).getInt());
    int64_t end = firstWarp(role) + role.getTotalWarps();
    LogicalResult result = success();
    Value active =
        end == branchEnd ? Value() : arith::CmpIOp::create(e.b, arith::CmpIPredicate::ult, e.warpId, e.i32(end));
    e.when(active, [&] { result = emitRole(role); });
    return result;
  }

  /// What the launch bounds give each thread at entry, as ptxas rounds it.
  void moveRegisters(int64_t registers) {
    int64_t entry = 65536 / int64_t(e.target.getThreads()) / 8 * 8;
    auto change = registers < entry ? nv::RegisterChange::dec : nv::RegisterChange::inc;
    nv::SetMaxRegistersOp::create(e.b, change, static_cast<int32_t>(registers));
  }

  LogicalResult emitRole(tile::RoleOp role) {
    e.role = RoleContext();
    e.role.op = role;
    e.role.singleThread = needsOneThread(role);
    e.role.firstBarrier = nextBarrier;
    nextBarrier += static_cast<int64_t>(role.getInstances());
    Value local = arith::SubIOp::create(e.b, e.warpId, e.i32(firstWarp(role)));
    Value warps = e.i32(static_cast<int64_t>(role.getWarps()));
    e.role.instance = role.getInstances() > 1 ? arith::DivUIOp::create(e.b, local, warps).getResult() : e.i32(0);
    e.role.warp = role.getInstances() > 1 ? arith::RemUIOp::create(e.b, local, warps).getResult() : local;
    e.role.lane = nv::LaneIdOp::create(e.b);
    Value leading = arith::OrIOp::create(e.b, e.role.warp, e.role.lane);
    e.role.leader = arith::CmpIOp::create(e.b, arith::CmpIPredicate::eq, leading, e.i32(0));
    e.bind(role.getInstance(), e.asI64(e.role.instance));
    if (failed(openTurns(role)))
      return failure();
    LogicalResult result = success();
    e.when(e.role.singleThread ? nv::ElectOp::create(e.b).getResult() : Value(),
           [&] { result = e.emitBlock(*role.getBody()); });
    if (e.role.storesByTma)
      e.when(e.role.leader, [&] { nv::BulkWaitOp::create(e.b, 0, false); });
    return result;
  }

  /// Gives each turn its barriers, and lets instance 0 have the first one.
  LogicalResult openTurns(tile::RoleOp role) {
    SmallVector<tile::TurnOp> turns;
    role.walk([&](tile::TurnOp turn) { turns.push_back(turn); });
    auto instances = static_cast<int64_t>(role.getInstances());
    for (tile::TurnOp turn : turns) {
      e.role.turns[turn] = nextBarrier;
      nextBarrier += instances;
      if (nextBarrier > kNamedBarriers)
        return turn.emitError("needs named barriers ") << nextBarrier - instances << " to " << nextBarrier - 1
                                                       << "; a block has " << kNamedBarriers << " in all";
      if (instances == 1)
        continue;
      Value last = arith::CmpIOp::create(e.b, arith::CmpIPredicate::eq, e.role.instance, e.i32(instances - 1));
      Value threads = e.i32(2 * 32 * static_cast<int64_t>(role.getWarps()));
      e.when(last, [&] { nv::BarrierArriveOp::create(e.b, e.i32(e.role.turns[turn]), threads); });
    }
    return success();
  }

  Emitter &e;
  warp::WarpDialect &dialect;
  int64_t nextBarrier = 1; // 0 is the block's
};

} // namespace

LogicalResult tegula::emitRoles(Emitter &e) {
  RoleDispatch dispatch(e);
  SmallVector<tile::RoleOp> roles(e.kernel.getBody()->getOps<tile::RoleOp>());
  if (failed(dispatch.emitShared()))
    return failure();
  OpBuilder::InsertionGuard guard(e.b);
  if (failed(dispatch.emitChain(roles)))
    return failure();
  return success();
}
