// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores between fragments and tensors. A tile that lies inside its tensor is moved in vectors as wide as the
// promised alignment allows; one that sticks out, element by element under predicates.

#include "dialects/WarpToNV/IndexDivisor.h"
#include "dialects/WarpToNV/Lowerings.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace tegula;

namespace {

constexpr int64_t kVectorBytes = 16;

class GlobalTileAccess {
public:
  GlobalTileAccess(Emitter &e, Value global, OperandRange offsets, RankedTensorType tensor)
      : e(e), type(cast<tile::GlobalType>(global.getType())), argument(e.global(global)),
        fragment(warp::fragmentOf(tensor)), dropped(static_cast<int>(type.getRank() - tensor.getRank())),
        elementBytes(warp::elementBytes(type.getElementType())) {
    unit = type.getUnitDim() < 0 ? -1 : type.getUnitDim() - dropped;
    computeWidth(global, offsets);
    computeStart(offsets);
  }

  int64_t registers() const { return fragment.registers(); }
  int64_t width = 1; // elements of one access of a tile inside

  /// All of the tile lies inside the tensor.
  Value inside() {
    Value all = leadingInside;
    for (int dim = 0; dim < fragment.rank(); ++dim) {
      Value fits = arith::CmpIOp::create(e.b, arith::CmpIPredicate::sge, tileRoom[static_cast<size_t>(dim)],
                                         e.i32(fragment.shape()[static_cast<size_t>(dim)]));
      all = e.both(all, fits);
    }
    return all;
  }

  /// The element in register `reg` lies inside the tensor.
  Value predicate(int64_t reg) {
    layout::Coordinates offset = fragment.register_offset(reg);
    Value all = leadingInside;
    for (int dim = 0; dim < fragment.rank(); ++dim)
      all = e.both(all, fits(dim, offset[static_cast<size_t>(dim)]));
    return all;
  }

  Value pointer(int64_t reg) {
    layout::Coordinates offset = fragment.register_offset(reg);
    int64_t constantBytes = 0;
    std::vector<int64_t> key;
    for (int dim = 0; dim < fragment.rank(); ++dim) {
      int64_t step = offset[static_cast<size_t>(dim)];
      if (dim == unit)
        constantBytes = step * elementBytes;
      else
        key.push_back(step);
    }
    Value &row = rows[key];
    if (!row) {
      row = start;
      for (int dim = 0; dim < fragment.rank(); ++dim)
        if (int64_t step = offset[static_cast<size_t>(dim)]; dim != unit && step != 0)
          row = nv::GlobalOffsetOp::create(e.b, row, e.mul(strideBytes(dim + dropped), e.i64(step)));
    }
    return constantBytes == 0 ? row : nv::GlobalOffsetOp::create(e.b, row, e.i64(constantBytes)).getResult();
  }

  /// Pointers and predicates made in one region are not for another.
  void forget() {
    rows.clear();
    checks.clear();
  }

private:
  Value strideBytes(int dim) { return e.mul(argument.strides[static_cast<size_t>(dim)], e.i64(elementBytes)); }

  void computeWidth(Value global, OperandRange offsets) {
    int64_t align = std::min(kVectorBytes, e.kernel.getArgAlign(tile::argumentOf(global).getArgNumber()));
    if (unit < 0)
      return;
    int64_t run = layout::vector_run(fragment, unit);
    int64_t aligned = std::gcd(std::max<int64_t>(1, align / elementBytes), run);
    int64_t offsetDivisor = divisorOf(offsets[static_cast<size_t>(type.getUnitDim())]);
    width = std::gcd(aligned, offsetDivisor);
    if (auto window = global.getDefiningOp<tile::WindowOp>();
        window && static_cast<int>(window.getDim()) == type.getUnitDim())
      width = 1; // where it begins and ends is clamped to the tensor, and so no multiple of anything
    while ((width & (width - 1)) != 0)
      width &= width - 1;
  }

  void computeStart(OperandRange offsets) {
    SmallVector<Value> thread = threadCoordinates(e, fragment.thread_terms(), fragment.rank());
    start = argument.pointer;
    for (int dim = 0; dim < type.getRank(); ++dim) {
      Value offset = e.asI64(e.lookup(offsets[static_cast<size_t>(dim)]));
      Value extent = argument.extents[static_cast<size_t>(dim)];
      Value position = offset;
      if (dim < dropped) {
        Value fits = arith::CmpIOp::create(e.b, arith::CmpIPredicate::slt, offset, extent);
        leadingInside = e.both(leadingInside, fits);
      } else {
        Value own = thread[static_cast<size_t>(dim - dropped)];
        position = e.add(offset, e.asI64(own));
        tileRoom.push_back(room(extent, offset));
        threadRoom.push_back(arith::SubIOp::create(e.b, tileRoom.back(), own));
      }
      Value bytes = dim == type.getUnitDim() ? e.i64(elementBytes) : strideBytes(dim);
      start = nv::GlobalOffsetOp::create(e.b, start, e.mul(position, bytes));
    }
  }

  /// Elements from `offset` to the tensor's end, as i32: more than a tile has is as good as any.
  Value room(Value extent, Value offset) {
    Value left = arith::SubIOp::create(e.b, extent, offset);
    return e.asI32(arith::MinSIOp::create(e.b, left, e.i64(1 << 30)));
  }

  Value fits(int dim, int64_t offset) {
    Value &check = checks[{dim, offset}];
    if (!check)
      check =
          arith::CmpIOp::create(e.b, arith::CmpIPredicate::sgt, threadRoom[static_cast<size_t>(dim)], e.i32(offset));
    return check;
  }

  Emitter &e;
  tile::GlobalType type;
  const GlobalArgument &argument;
  layout::Fragment fragment;
  int dropped;
  int64_t elementBytes;
  int unit = -1;
  Value start, leadingInside;
  SmallVector<Value> tileRoom, threadRoom;
  std::map<std::vector<int64_t>, Value> rows;
  std::map<std::pair<int, int64_t>, Value> checks;
};

nv::Access accessFor(std::optional<tile::CacheHint> hint) {
  if (!hint)
    return nv::Access::weak;
  return *hint == tile::CacheHint::evict_first ? nv::Access::evict_first : nv::Access::evict_last;
}

/// Runs `wide` where the tile lies inside and `narrow` where it sticks out; one of them when both are the same.
SmallVector<Value> insideOrNot(Emitter &e, GlobalTileAccess &access, TypeRange results,
                               llvm::function_ref<SmallVector<Value>()> wide,
                               llvm::function_ref<SmallVector<Value>()> narrow) {
  auto branch = scf::IfOp::create(e.b, results, access.inside(), /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(e.b);
  for (auto [block, body] : {std::pair(branch.thenBlock(), wide), std::pair(branch.elseBlock(), narrow)}) {
    e.b.setInsertionPointToStart(block);
    access.forget();
    SmallVector<Value> values = body();
    scf::YieldOp::create(e.b, values);
  }
  return SmallVector<Value>(branch.getResults());
}

TypedAttr zeroOrFill(warp::LoadGlobalOp op, Type element) {
  return op.getFill() ? *op.getFill() : Builder(op).getZeroAttr(element);
}

} // namespace

LogicalResult tegula::emitLoadGlobal(Emitter &e, warp::LoadGlobalOp op) {
  auto type = cast<VectorType>(e.convert(op.getResult().getType()));
  GlobalTileAccess access(e, op.getSource(), op.getOffsets(), op.getResult().getType());
  nv::Access cache = accessFor(op.getCache());
  auto load = [&](int64_t width, bool checked) {
    SmallVector<Value> elements;
    auto partType = VectorType::get(width, type.getElementType());
    Value fill;
    if (checked)
      fill = arith::ConstantOp::create(
          e.b, DenseElementsAttr::get(partType, Attribute(zeroOrFill(op, type.getElementType()))));
    for (int64_t reg = 0; reg < access.registers(); reg += width) {
      Value predicate = checked ? access.predicate(reg) : Value();
      Value part =
          nv::LdGlobalOp::create(e.b, partType, access.pointer(reg), predicate, checked ? fill : Value(), cache);
      for (int64_t i = 0; i < width; ++i)
        elements.push_back(e.element(part, i));
    }
    return SmallVector<Value>{e.vectorOf(elements)};
  };
  SmallVector<Value> loaded =
      access.width == 1
          ? load(1, true)
          : insideOrNot(
                e, access, TypeRange{type}, [&] { return load(access.width, false); }, [&] { return load(1, true); });
  e.bind(op.getResult(), loaded.front());
  return success();
}

LogicalResult tegula::emitStoreGlobal(Emitter &e, warp::StoreGlobalOp op) {
  Value value = e.lookup(op.getValue());
  GlobalTileAccess access(e, op.getDestination(), op.getOffsets(), cast<RankedTensorType>(op.getValue().getType()));
  Value first = firstReplica(e, warp::fragmentOf(op.getValue()));
  nv::Access cache = accessFor(op.getCache());
  auto store = [&](int64_t width, bool checked) {
    for (int64_t reg = 0; reg < access.registers(); reg += width) {
      Value predicate = e.both(first, checked ? access.predicate(reg) : Value());
      Value part = vector::ExtractStridedSliceOp::create(e.b, value, ArrayRef<int64_t>{reg}, ArrayRef<int64_t>{width},
                                                         ArrayRef<int64_t>{1});
      nv::StGlobalOp::create(e.b, access.pointer(reg), part, predicate, cache);
    }
    return SmallVector<Value>();
  };
  if (access.width == 1)
    store(1, true);
  else
    insideOrNot(e, access, TypeRange(), [&] { return store(access.width, false); }, [&] { return store(1, true); });
  return success();
}
