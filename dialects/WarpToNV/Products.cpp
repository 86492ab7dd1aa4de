// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products as batches of wgmma: one instruction for 64 rows and 32 bytes of k.

#include "compiler/layout/hardware_fragments.h"
#include "compiler/layout/matrix_descriptor.h"
#include "dialects/WarpToNV/Lowerings.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tegula;

namespace {

constexpr int64_t kRows = 64, kWarps = 4; // of a wgmma

std::optional<nv::MmaType> mmaType(Type element) {
  if (element.isBF16())
    return nv::MmaType::bf16;
  if (element.isF16())
    return nv::MmaType::f16;
  if (element.isF32())
    return nv::MmaType::tf32;
  if (isa<Float8E4M3FNType>(element))
    return nv::MmaType::e4m3;
  if (isa<Float8E5M2Type>(element))
    return nv::MmaType::e5m2;
  if (element.isInteger(8))
    return nv::MmaType::s8;
  return std::nullopt;
}

/// An operand in shared memory: a descriptor for every instruction.
struct SharedOperand {
  layout::DescriptorPlan plan;
  Value base; // descriptor of the tile's start

  Value at(Emitter &e, int64_t bytes) const {
    return bytes == 0 ? base : nv::DescriptorAdvanceOp::create(e.b, base, static_cast<int32_t>(bytes)).getResult();
  }
};

/// \param rows  how many rows of the tile each warpgroup of the instance works at; 0: at all of it.
FailureOr<SharedOperand> sharedOperand(Emitter &e, warp::MmaOp op, Value view, int kDim, int64_t rows) {
  auto plan = layout::plan_descriptor(warp::layoutOf(cast<tile::ViewType>(view.getType())), kDim);
  if (!plan)
    return op.emitOpError("cannot read ") << view.getType() << ": " << plan.reason();
  Value start = e.lookup(view);
  if (rows != 0) {
    Value warpgroup = arith::DivUIOp::create(e.b, e.role.warp, e.i32(kWarps));
    start = nv::OffsetOp::create(e.b, start, e.mul(warpgroup, e.i32(plan->mn_step_bytes(rows))));
  }
  Value base = nv::DescriptorOp::create(e.b, start, e.b.getI64IntegerAttr(static_cast<int64_t>(plan->constant_bits)));
  return SharedOperand{*plan, base};
}

bool isZero(Value value) {
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  auto dense = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
  if (!dense || !dense.isSplat())
    return false;
  if (isa<FloatType>(dense.getElementType()))
    return dense.getSplatValue<APFloat>().isPosZero();
  return dense.getSplatValue<APInt>().isZero();
}

class ProductEmission {
public:
  ProductEmission(Emitter &e, warp::MmaOp op)
      : e(e), op(op), shape(cast<RankedTensorType>(op.getD().getType()).getShape()) {}

  LogicalResult run() {
    Type elementA = cast<ShapedType>(op.getA().getType()).getElementType();
    Type elementB = op.getB().getType().getElementType();
    auto typeA = mmaType(elementA), typeB = mmaType(elementB);
    if (!typeA || !typeB)
      return op.emitOpError("has element types that wgmma lacks: ") << elementA << " and " << elementB;
    warpgroups = static_cast<int64_t>(e.role.op.getWarps()) / kWarps;
    kSlices = op.getB().getType().getShape()[0] * warp::elementBytes(elementB) / layout::kSliceBytes;
    FailureOr<SharedOperand> b = sharedOperand(e, op, op.getB(), 0, 0);
    std::optional<SharedOperand> a;
    if (isa<tile::ViewType>(op.getA().getType())) {
      FailureOr<SharedOperand> shared = sharedOperand(e, op, op.getA(), 1, warpgroups == 1 ? 0 : shape[0] / warpgroups);
      if (failed(shared))
        return failure();
      a = *shared;
    }
    if (failed(b))
      return failure();
    emit(a, *b, *typeA, *typeB);
    return success();
  }

private:
  void emit(const std::optional<SharedOperand> &a, const SharedOperand &b, nv::MmaType typeA, nv::MmaType typeB) {
    nv::WgmmaFenceOp::create(e.b);
    bool fresh = isZero(op.getC());
    auto vector = cast<VectorType>(e.convert(op.getC().getType()));
    int64_t blocks = shape[0] / warpgroups / kRows;
    auto blockType = VectorType::get(vector.getNumElements() / blocks, vector.getElementType());
    Value whole = fresh ? Value() : e.lookup(op.getC());
    SmallVector<Value> results;
    for (int64_t block = 0; block < blocks; ++block) {
      Value sum = fresh         ? ub::PoisonOp::create(e.b, blockType).getResult()
                  : blocks == 1 ? whole
                                : part(whole, block * blockType.getNumElements(), blockType.getNumElements());
      for (int64_t slice = 0; slice < kSlices; ++slice) {
        Value left = a ? a->at(e, a->plan.step_bytes(slice) + a->plan.mn_step_bytes(block * kRows))
                       : registerSlice(block, blocks, slice);
        Value add = fresh && slice == 0 ? e.i1(false) : Value();
        sum = nv::WgmmaOp::create(e.b, left, b.at(e, b.plan.step_bytes(slice)), sum, add, typeA, typeB,
                                  a && a->plan.major == layout::Major::mn, b.plan.major == layout::Major::mn);
      }
      results.push_back(sum);
    }
    nv::WgmmaCommitOp::create(e.b);
    e.bind(op.getD(), blocks == 1 ? results.front() : join(vector, results));
  }

  Value part(Value vector, int64_t offset, int64_t size) {
    return vector::ExtractStridedSliceOp::create(e.b, vector, ArrayRef<int64_t>{offset}, ArrayRef<int64_t>{size},
                                                 ArrayRef<int64_t>{1});
  }

  Value registerSlice(int64_t block, int64_t blocks, int64_t slice) {
    Value a = e.lookup(op.getA());
    int64_t count = cast<VectorType>(a.getType()).getNumElements() / (blocks * kSlices);
    return part(a, (block * kSlices + slice) * count, count);
  }

  Value join(VectorType type, ArrayRef<Value> parts) {
    Value whole = ub::PoisonOp::create(e.b, type);
    int64_t offset = 0;
    for (Value piece : parts) {
      whole = vector::InsertStridedSliceOp::create(e.b, piece, whole, ArrayRef<int64_t>{offset}, ArrayRef<int64_t>{1});
      offset += cast<VectorType>(piece.getType()).getNumElements();
    }
    return whole;
  }

  Emitter &e;
  warp::MmaOp op;
  ArrayRef<int64_t> shape;
  int64_t kSlices = 0;
  int64_t warpgroups = 1;
};

} // namespace

LogicalResult tegula::emitMma(Emitter &e, warp::MmaOp op) { return ProductEmission(e, op).run(); }

LogicalResult tegula::emitKeep(Emitter &e, warp::KeepOp op) {
  nv::WgmmaKeepOp::create(e.b, e.lookup(op.getValue()));
  return success();
}

LogicalResult tegula::emitMmaWait(Emitter &e, warp::MmaWaitOp op) {
  SmallVector<Value> values;
  for (Value value : op.getValues())
    values.push_back(e.lookup(value));
  auto wait = nv::WgmmaWaitOp::create(e.b, static_cast<int32_t>(op.getPending()), values);
  for (auto [from, to] : llvm::zip(op.getResults(), wait.getResults()))
    e.bind(from, to);
  return success();
}
