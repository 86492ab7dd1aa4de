// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// warp-assign-fragments: how each register tile is spread over threads. Values that must agree form classes; tensor cores
// fix some, memory accesses the others; what is left to disagree is converted.

#include "compiler/layout/hardware_fragments.h"
#include "dialects/Warp/Transforms/Passes.h"

#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

namespace tegula::warp {
#define GEN_PASS_DEF_WARPASSIGNFRAGMENTS
#include "dialects/Warp/Transforms/Passes.h.inc"
} // namespace tegula::warp

using namespace mlir;
using namespace tegula;
using namespace tegula::warp;

namespace {

constexpr int64_t kVectorBytes = 16;

RankedTensorType tensorType(Value value) { return dyn_cast<RankedTensorType>(value.getType()); }

layout::Shape shapeOf(RankedTensorType type) { return layout::Shape(type.getShape().begin(), type.getShape().end()); }

/// Whether the op computes each element of its results from the same elements of its operands.
bool isElementwise(Operation *op) {
  return isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) && !isa<arith::ConstantOp>(op);
}

/// Constants, splats and index tiles cost nothing to make again, so each user gets its own, laid out as it likes.
void rematerialize(ModuleOp module) {
  SmallVector<Operation *> cheap;
  module.walk([&](Operation *op) {
    if (isa<arith::ConstantOp, tile::SplatOp, tile::IotaOp>(op) && tensorType(op->getResult(0)))
      cheap.push_back(op);
  });
  for (Operation *op : cheap) {
    for (OpOperand &use : llvm::make_early_inc_range(op->getUses())) {
      OpBuilder builder(use.getOwner());
      use.set(builder.clone(*op)->getResult(0));
    }
    op->erase();
  }
}

/// The fragment that coalesces accesses to a tile in memory: vectors as wide as 16 bytes and the promised alignment.
layout::Fragment memoryFragment(RankedTensorType type, Value view, int64_t warps) {
  int64_t bytes = elementBytes(type.getElementType());
  int unit = static_cast<int>(type.getRank()) - 1;
  int64_t vectorBytes = kVectorBytes;
  auto viewType = cast<tile::ViewType>(view.getType());
  while (auto subview = view.getDefiningOp<tile::SubviewOp>())
    view = subview.getSource();
  if (auto slice = view.getDefiningOp<tile::SliceOp>()) {
    auto global = slice.getSource().getType();
    int inner = global.getUnitDim() - static_cast<int>(global.getRank() - viewType.getRank());
    BlockArgument argument = tile::argumentOf(slice.getSource());
    auto kernel = cast<tile::KernelOp>(argument.getOwner()->getParentOp());
    vectorBytes = inner < 0 ? bytes : std::min(vectorBytes, kernel.getArgAlign(argument.getArgNumber()));
    unit = inner < 0 ? unit : inner;
  } else if (viewType.getLayout()) {
    unit = cast<SharedAttr>(viewType.getLayout()).getUnit();
  }
  return layout::blocked(shapeOf(type), unit, std::max<int64_t>(1, vectorBytes / bytes), warps);
}

/// Values that share a fragment, and how classes follow from one another.
class Classes {
public:
  explicit Classes(tile::RoleOp role) : warps(role.getWarps()) {
    role.walk([&](Operation *op) { addValues(op); });
    classes.grow(values.size());
    role.walk([&](Operation *op) { addEdges(op); });
    classes.compress();
    fragments.resize(classes.getNumClasses());
  }

  void assignAll() {
    seedTensorCores();
    propagate();
    for (auto &[value, view] : byMemorySize())
      if (!fragmentOfClass(value)) {
        fragmentOfClass(value) = memoryFragment(tensorType(value), view, warps).canonical();
        propagate();
      }
    for (auto &[value, id] : values)
      if (!fragmentOfClass(value)) {
        auto type = tensorType(value);
        int64_t vector = kVectorBytes / elementBytes(type.getElementType());
        fragmentOfClass(value) =
            layout::blocked(shapeOf(type), static_cast<int>(type.getRank()) - 1, vector, warps).canonical();
        propagate();
      }
  }

  void apply() {
    for (auto &[value, id] : values) {
      auto type = withFragment(tensorType(value), *fragmentOfClass(value));
      value.setType(type);
      if (auto constant = value.getDefiningOp<arith::ConstantOp>())
        constant.setValueAttr(cast<DenseElementsAttr>(constant.getValue()).resizeSplat(type));
    }
  }

private:
  /// `to` follows from `from`: by dropping `dim`, or by permuting dims.
  struct Edge {
    Value from, to;
    int dim = -1;
    SmallVector<int> permutation;
  };

  std::optional<layout::Fragment> &fragmentOfClass(Value value) { return fragments[classes[values[value]]]; }

  void addValues(Operation *op) {
    auto add = [&](Value value) {
      if (tensorType(value))
        values.try_emplace(value, static_cast<unsigned>(values.size()));
    };
    llvm::for_each(op->getResults(), add);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), add);
  }

  void join(Value a, Value b) {
    if (tensorType(a) && tensorType(b) && tensorType(a).getShape() == tensorType(b).getShape())
      classes.join(values[a], values[b]);
  }
  template <typename A, typename B> void joinAll(A &&as, B &&bs) {
    for (auto [a, b] : llvm::zip(as, bs))
      join(a, b);
  }

  void addEdges(Operation *op) {
    if (isElementwise(op)) {
      for (Value operand : op->getOperands())
        join(operand, op->getResult(0));
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      joinAll(loop.getInitArgs(), loop.getRegionIterArgs());
      joinAll(loop.getYieldedValues(), loop.getRegionIterArgs());
      joinAll(loop.getResults(), loop.getRegionIterArgs());
    } else if (isa<scf::IfOp, tile::TurnOp>(op)) {
      for (Region &region : op->getRegions())
        if (!region.empty())
          joinAll(region.front().getTerminator()->getOperands(), op->getResults());
    } else if (auto mma = dyn_cast<tile::MmaOp>(op)) {
      join(mma.getC(), mma.getD());
    } else if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
      edges.push_back({reduce.getSource(), reduce.getResult(), static_cast<int>(reduce.getDim()), {}});
    } else if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) {
      edges.push_back({broadcast.getResult(), broadcast.getSource(), static_cast<int>(broadcast.getDim()), {}});
    } else if (auto transpose = dyn_cast<tile::TransposeOp>(op)) {
      if (tensorType(transpose.getResult()))
        addPermutation(transpose);
    }
  }

  void addPermutation(tile::TransposeOp op) {
    SmallVector<int> forward(op.getPermutation().begin(), op.getPermutation().end()), backward(forward.size());
    for (auto [to, from] : llvm::enumerate(forward))
      backward[from] = static_cast<int>(to);
    edges.push_back({op.getSource(), op.getResult(), -1, forward});
    edges.push_back({op.getResult(), op.getSource(), -1, backward});
  }

  void seedTensorCores() {
    for (auto &[value, id] : values)
      if (auto mma = value.getDefiningOp<tile::MmaOp>()) {
        auto shape = tensorType(value).getShape();
        fragmentOfClass(value) = layout::wgmma_accumulator(shape[0], shape[1], warps / 4).canonical();
      }
  }

  void propagate() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const Edge &edge : edges) {
        auto &from = fragmentOfClass(edge.from);
        auto &to = fragmentOfClass(edge.to);
        if (!from || to)
          continue;
        to = (edge.dim >= 0 ? from->slice(edge.dim)
                            : from->permute(std::vector<int>(edge.permutation.begin(), edge.permutation.end())))
                 .canonical();
        changed = true;
      }
    }
  }

  /// Values that are loaded or stored, largest tiles first, with the view in memory.
  SmallVector<std::pair<Value, Value>> byMemorySize() {
    SmallVector<std::pair<Value, Value>> accesses;
    for (auto &[value, id] : values) {
      if (auto load = value.getDefiningOp<tile::LoadOp>())
        accesses.push_back({value, load.getSource()});
      for (Operation *user : value.getUsers())
        if (auto store = dyn_cast<tile::StoreOp>(user))
          accesses.push_back({value, store.getDestination()});
    }
    llvm::sort(accesses, [&](auto &a, auto &b) {
      bool globalA = cast<tile::ViewType>(a.second.getType()).isGlobal();
      bool globalB = cast<tile::ViewType>(b.second.getType()).isGlobal();
      if (globalA != globalB)
        return globalA;
      int64_t sizeA = tensorType(a.first).getNumElements(), sizeB = tensorType(b.first).getNumElements();
      return sizeA != sizeB ? sizeA > sizeB : values[a.first] < values[b.first];
    });
    return accesses;
  }

  int64_t warps;
  llvm::MapVector<Value, unsigned> values;
  llvm::IntEqClasses classes;
  SmallVector<std::optional<layout::Fragment>> fragments;
  SmallVector<Edge> edges;
};

/// Makes `operand` have `fragment`, through a conversion where it has another one.
void demand(OpOperand &operand, const layout::Fragment &fragment) {
  auto type = cast<RankedTensorType>(operand.get().getType());
  if (layout::same_mapping(fragmentOf(type), fragment))
    return;
  OpBuilder builder(operand.getOwner());
  operand.set(ConvertLayoutOp::create(builder, operand.getOwner()->getLoc(), withFragment(type, fragment.canonical()),
                                      operand.get()));
}

/// Makes the op produce `fragment`, and converts for those who read the result in its present one.
void produce(Operation *op, const layout::Fragment &fragment) {
  Value result = op->getResult(0);
  auto type = cast<RankedTensorType>(result.getType());
  if (layout::same_mapping(fragmentOf(type), fragment))
    return;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  result.setType(withFragment(type, fragment.canonical()));
  auto convert = ConvertLayoutOp::create(builder, op->getLoc(), type, result);
  result.replaceAllUsesExcept(convert.getResult(), convert);
}

layout::Fragment operandA(RankedTensorType type, int64_t warpgroups) {
  auto shape = type.getShape();
  switch (type.getElementTypeBitWidth()) {
  case 8: return layout::wgmma_a_8bit(shape[0], shape[1], warpgroups);
  case 32: return layout::wgmma_a_tf32(shape[0], shape[1], warpgroups);
  default: return layout::wgmma_a_16bit(shape[0], shape[1], warpgroups);
  }
}

/// The same tile with whole rows along `dim` in each warp: what warps held apart, all of them hold in registers.
layout::Fragment unsplit(const layout::Fragment &fragment, int dim) {
  layout::Digits reg = fragment.digits(layout::Axis::reg), warp = fragment.digits(layout::Axis::warp);
  for (layout::Digit &digit : warp)
    if (digit.dim == dim) {
      reg.push_back(digit);
      digit = {digit.extent, layout::kReplicated, 0};
    }
  return layout::Fragment(fragment.shape(), reg, fragment.digits(layout::Axis::lane), warp).canonical();
}

/// Puts conversions where an op's operands and results disagree.
void reconcile(Operation *op) {
  if (auto mma = dyn_cast<tile::MmaOp>(op)) {
    if (auto a = tensorType(mma.getA()))
      demand(mma.getAMutable(), operandA(a, static_cast<int64_t>(mma->getParentOfType<tile::RoleOp>().getWarps()) / 4));
  } else if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
    auto dim = static_cast<int>(reduce.getDim());
    demand(reduce.getSourceMutable(), unsplit(fragmentOf(reduce.getSource()), dim));
    produce(op, fragmentOf(reduce.getSource()).slice(dim));
  } else if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) {
    demand(broadcast.getSourceMutable(), fragmentOf(broadcast.getResult()).slice(static_cast<int>(broadcast.getDim())));
  } else if (auto transpose = dyn_cast<tile::TransposeOp>(op)) {
    if (!tensorType(transpose.getResult()))
      return;
    std::vector<int> dims(transpose.getPermutation().begin(), transpose.getPermutation().end());
    produce(op, fragmentOf(transpose.getSource()).permute(dims));
  }
}

struct AssignFragments : tegula::warp::impl::WarpAssignFragmentsBase<AssignFragments> {
  void runOnOperation() override {
    rematerialize(getOperation());
    getOperation().walk([&](tile::RoleOp role) {
      Classes classes(role);
      classes.assignAll();
      classes.apply();
      SmallVector<Operation *> ops;
      role.walk([&](Operation *op) { ops.push_back(op); });
      llvm::for_each(ops, reconcile);
    });
  }
};

} // namespace
