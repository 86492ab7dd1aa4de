// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores between fragments and shared tiles: ldmatrix and stmatrix where they fit, vectors elsewhere.
//
// An element's address is base + (linear ^ swizzle(linear)). `linear` is a part that the thread computes once and a
// constant of the register. Where the constant disturbs no bit that the thread's part decides, the XOR is taken once and
// the constant is folded in behind it: bits 4 to 6 by another XOR, the others by an addition.

#include "compiler/layout/bank_conflicts.h"
#include "compiler/layout/ldmatrix.h"
#include "dialects/WarpToNV/IndexDivisor.h"
#include "dialects/WarpToNV/Lowerings.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tegula;

namespace {

/// Addresses of one access pattern of all threads of the instance.
class Addresses {
public:
  Addresses(Emitter &e, std::vector<layout::ThreadTerm> threadTerms, const layout::SharedLayout &layout, Value base)
      : e(e), terms(std::move(threadTerms)), layout(layout), base(base) {
    coordinates = threadCoordinates(e, terms, layout.rank());
    linear = linearOf(coordinates);
    swizzled = swizzle(linear);
  }

  /// The address of the element at `offset` from the thread's own coordinates.
  Value at(const layout::Coordinates &offset) {
    int64_t constant = layout.linear_offset(offset);
    int64_t chunk = constant & (layout::swizzle_mask(layout.swizzle) << 4);
    int64_t rest = constant - chunk;
    if (!isSeparable(offset, chunk, rest))
      return general(offset);
    Value address = swizzled;
    if (chunk != 0)
      address = arith::XOrIOp::create(e.b, address, e.i32(chunk));
    address = nv::OffsetOp::create(e.b, base, address);
    return rest == 0 ? address : nv::OffsetOp::create(e.b, address, e.i32(rest)).getResult();
  }

private:
  /// Linear offset of coordinates known at run time.
  Value linearOf(ArrayRef<Value> at) {
    int unit = layout.unit_dim, row = layout.row_dim();
    Value bytes = e.mul(at[static_cast<size_t>(unit)], e.i32(layout.element_bytes));
    Value sum = bytes;
    if (layout.panels() > 1) {
      Value width = e.i32(layout.panel_bytes);
      Value panel = arith::DivUIOp::create(e.b, bytes, width);
      sum = e.add(arith::RemUIOp::create(e.b, bytes, width), e.mul(panel, e.i32(layout.panel_stride())));
    }
    for (int dim = 0; dim < layout.rank(); ++dim)
      if (dim != unit)
        sum = e.add(sum, e.mul(at[static_cast<size_t>(dim)],
                               e.i32(dim == row ? layout.pitch_bytes() : layout.stride_bytes(dim))));
    return sum;
  }

  Value swizzle(Value address) {
    int64_t mask = layout::swizzle_mask(layout.swizzle);
    if (mask == 0)
      return address;
    Value bits = arith::AndIOp::create(e.b, arith::ShRUIOp::create(e.b, address, e.i32(3)), e.i32(mask << 4));
    return arith::XOrIOp::create(e.b, address, bits);
  }

  Value general(const layout::Coordinates &offset) {
    SmallVector<Value> moved;
    for (auto [coordinate, step] : llvm::zip(coordinates, offset))
      moved.push_back(step == 0 ? coordinate : e.add(coordinate, e.i32(step)));
    return nv::OffsetOp::create(e.b, base, swizzle(linearOf(moved)));
  }

  /// Tries all threads: does the constant go in behind the thread's swizzle?
  bool isSeparable(const layout::Coordinates &offset, int64_t chunk, int64_t rest) {
    auto warps = static_cast<int64_t>(e.role.op.getWarps());
    for (int64_t w = 0; w < warps; ++w)
      for (int64_t l = 0; l < layout::kLanes; ++l) {
        layout::Coordinates thread(static_cast<size_t>(layout.rank()), 0), whole = offset;
        for (const layout::ThreadTerm &term : terms) {
          int64_t value = term.value(term.axis == layout::Axis::lane ? l : w);
          thread[static_cast<size_t>(term.dim)] += value;
          whole[static_cast<size_t>(term.dim)] += value;
        }
        if (layout.offset(whole) != (layout.offset(thread) ^ chunk) + rest)
          return false;
      }
    return true;
  }

  Emitter &e;
  std::vector<layout::ThreadTerm> terms;
  const layout::SharedLayout &layout;
  Value base;
  SmallVector<Value> coordinates;
  Value linear, swizzled;
};

Value sliceOf(Emitter &e, Value vector, int64_t offset, int64_t size) {
  return vector::ExtractStridedSliceOp::create(e.b, vector, ArrayRef<int64_t>{offset}, ArrayRef<int64_t>{size},
                                               ArrayRef<int64_t>{1});
}

/// ldmatrix and stmatrix move 16-bit elements here; i1 and others go by vectors.
std::optional<layout::MatrixMovePlan> matrixMoves(const layout::Fragment &fragment,
                                                  const layout::SharedLayout &layout) {
  if (layout.element_bytes != 2 || layout.rank() != 2)
    return std::nullopt;
  auto plan = layout::plan_matrix_move(fragment, layout);
  return plan ? std::optional(*plan) : std::nullopt;
}

/// Elements that one ld or st.shared moves.
int64_t vectorElements(const layout::Fragment &fragment, const layout::SharedLayout &layout) {
  return std::max<int64_t>(1, layout::access_bytes(fragment, layout) / layout.element_bytes);
}

Value loadShared(Emitter &e, VectorType type, const layout::Fragment &fragment, const layout::SharedLayout &layout,
                 Value base) {
  SmallVector<Value> elements;
  auto append = [&](Value part) {
    for (int64_t i = 0; i < cast<VectorType>(part.getType()).getNumElements(); ++i)
      elements.push_back(e.element(part, i));
  };
  if (auto plan = matrixMoves(fragment, layout)) {
    Addresses addresses(e, plan->row_terms, layout, base);
    auto partType = VectorType::get(2 * plan->count, type.getElementType());
    elements.resize(static_cast<size_t>(type.getNumElements()));
    for (const layout::MatrixMove &move : plan->moves) {
      Value part = nv::LdMatrixOp::create(e.b, partType, addresses.at(move.base), plan->trans);
      for (int64_t i = 0; i < 2 * plan->count; ++i)
        elements[static_cast<size_t>(2 * move.first_word + i)] = e.element(part, i);
    }
    return e.vectorOf(elements);
  }
  Addresses addresses(e, fragment.thread_terms(), layout, base);
  int64_t width = vectorElements(fragment, layout);
  auto partType = VectorType::get(width, type.getElementType());
  for (int64_t reg = 0; reg < fragment.registers(); reg += width)
    append(nv::LdSharedOp::create(e.b, partType, addresses.at(fragment.register_offset(reg))));
  return e.vectorOf(elements);
}

} // namespace

void tegula::storeShared(Emitter &e, Value value, const layout::Fragment &fragment, const layout::SharedLayout &layout,
                         Value base) {
  if (auto plan = matrixMoves(fragment, layout)) {
    Addresses addresses(e, plan->row_terms, layout, base);
    for (const layout::MatrixMove &move : plan->moves)
      nv::StMatrixOp::create(e.b, addresses.at(move.base), sliceOf(e, value, 2 * move.first_word, 2 * plan->count),
                             plan->trans);
    return;
  }
  Addresses addresses(e, fragment.thread_terms(), layout, base);
  int64_t width = vectorElements(fragment, layout);
  Value first = firstReplica(e, fragment);
  for (int64_t reg = 0; reg < fragment.registers(); reg += width)
    nv::StSharedOp::create(e.b, addresses.at(fragment.register_offset(reg)), sliceOf(e, value, reg, width), first);
}

LogicalResult tegula::emitSubview(Emitter &e, tile::SubviewOp op) {
  if (op.getResult().getType().isGlobal())
    return success();
  layout::SharedLayout layout = warp::layoutOf(op.getSource().getType());
  Value base = e.lookup(op.getSource());
  for (auto [index, offset] : llvm::enumerate(op.getOffsets())) {
    auto dim = static_cast<int>(index);
    int64_t divisor = divisorOf(offset);
    if (divisor == 0)
      continue;
    layout::Coordinates step(static_cast<size_t>(layout.rank()), 0);
    step[index] = std::min<int64_t>(divisor, layout.shape[index]);
    if (step[index] >= layout.shape[index])
      continue;
    auto bytes = layout.subtile_offset(step);
    if (!bytes)
      return op.emitOpError("begins at a multiple of ") << divisor << " along dim " << dim << ": " << bytes.reason();
    Value steps = arith::DivUIOp::create(e.b, e.asI32(e.lookup(offset)), e.i32(step[index]));
    base = nv::OffsetOp::create(e.b, base, e.mul(steps, e.i32(*bytes)));
  }
  e.bind(op.getResult(), base);
  return success();
}

LogicalResult tegula::emitLoadShared(Emitter &e, tile::LoadOp op) {
  e.bind(op.getResult(),
         loadShared(e, cast<VectorType>(e.convert(op.getResult().getType())), warp::fragmentOf(op.getResult()),
                    warp::layoutOf(op.getSource().getType()), e.lookup(op.getSource())));
  return success();
}

LogicalResult tegula::emitStoreShared(Emitter &e, tile::StoreOp op) {
  storeShared(e, e.lookup(op.getValue()), warp::fragmentOf(op.getValue()),
              warp::layoutOf(op.getDestination().getType()), e.lookup(op.getDestination()));
  return success();
}
