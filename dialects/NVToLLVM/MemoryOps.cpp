// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses, matrices, loads and stores. Plain global accesses stay LLVM's; the rest is inline PTX.
#include "dialects/NVToLLVM/Lowering.h"
#include "dialects/NVToLLVM/Registers.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace LLVM = mlir::LLVM;
namespace NVVM = mlir::NVVM;

namespace tegula::nv {

// --- addresses ---

static mlir::Value sharedBase(ptx::Site site) {
  auto pointer = LLVM::LLVMPointerType::get(site.builder.getContext(), 3);
  mlir::Value base = LLVM::AddressOfOp::create(site.builder, site.loc, pointer, kSharedSymbol);
  return LLVM::PtrToIntOp::create(site.builder, site.loc, site.builder.getI32Type(), base);
}

static mlir::Value globalOffset(GlobalOffsetOp::Adaptor operands, ptx::Site site) {
  return LLVM::GEPOp::create(site.builder, site.loc, operands.getBase().getType(), site.builder.getI8Type(),
                             operands.getBase(), llvm::ArrayRef<LLVM::GEPArg>{operands.getBytes()});
}

// --- registers of one access ---

static int64_t bitsOf(mlir::Type type) { return type.getIntOrFloatBitWidth(); }

/// A register has at least 16 bits; a byte travels in the low half of one.
static mlir::Type carrier(mlir::OpBuilder &builder, mlir::Type type) {
  return bitsOf(type) == 8 ? builder.getI16Type() : type;
}

static ptx::ValueVector widen(ptx::Site site, ptx::ValueVector registers) {
  for (mlir::Value &value : registers)
    if (bitsOf(value.getType()) == 8)
      value = LLVM::ZExtOp::create(site.builder, site.loc, site.builder.getI16Type(), value);
  return registers;
}

static ptx::ValueVector narrow(ptx::Site site, ptx::ValueVector registers, mlir::Type type) {
  for (mlir::Value &value : registers)
    if (value.getType() != type)
      value = LLVM::TruncOp::create(site.builder, site.loc, type, value);
  return registers;
}

/// The vector as LLVM holds it: fp8 elements are i8 there.
static mlir::VectorType llvmVector(mlir::VectorType type) {
  mlir::Type element = type.getElementType();
  if (bitsOf(element) == 8)
    element = mlir::IntegerType::get(type.getContext(), 8);
  return mlir::VectorType::get(type.getShape(), element);
}

// --- shared memory ---

static mlir::Value loadShared(LdSharedOp op, LdSharedOp::Adaptor operands, ptx::Site site) {
  mlir::VectorType type = llvmVector(op.getResult().getType());
  RegisterShape shape = registerShape(type);
  ptx::ValueVector registers =
      ptx::loadShared(site, operands.getAddress(), carrier(site.builder, shape.type), shape.count, bitsOf(shape.type));
  return pack(site.builder, site.loc, narrow(site, registers, shape.type), type);
}

static mlir::Value storeShared(StSharedOp, StSharedOp::Adaptor operands, ptx::Site site) {
  ptx::ValueVector registers = unpack(site.builder, site.loc, operands.getValue());
  int64_t bits = bitsOf(registers.front().getType());
  ptx::storeShared(site, operands.getAddress(), widen(site, registers), bits, operands.getPredicate());
  return {};
}

static mlir::Value ldmatrix(LdMatrixOp op, LdMatrixOp::Adaptor operands, ptx::Site site) {
  mlir::VectorType type = op.getResult().getType();
  ptx::ValueVector registers = ptx::ldmatrix(site, operands.getAddress(), type.getNumElements() / 2, op.getTrans());
  return pack(site.builder, site.loc, registers, type);
}

static mlir::Value stmatrix(StMatrixOp op, StMatrixOp::Adaptor operands, ptx::Site site) {
  ptx::stmatrix(site, operands.getAddress(), unpack(site.builder, site.loc, operands.getValue()), op.getTrans());
  return {};
}

// --- global memory ---

/// The type in which LLVM moves a vector whole: its Scalarizer leaves alone what is made of registers.
static mlir::Type memoryType(RegisterShape shape) {
  return shape.count == 1 ? shape.type : mlir::VectorType::get(shape.count, shape.type);
}

static int64_t alignmentOf(RegisterShape shape) { return shape.count * bitsOf(shape.type) / 8; }

static mlir::Value loadGlobal(LdGlobalOp op, LdGlobalOp::Adaptor operands, ptx::Site site) {
  mlir::OpBuilder &builder = site.builder;
  mlir::VectorType type = llvmVector(op.getResult().getType());
  RegisterShape shape = registerShape(type);
  if (!operands.getPredicate() && op.getCache() == Access::weak) {
    mlir::Value loaded = LLVM::LoadOp::create(builder, site.loc, memoryType(shape), operands.getPointer(),
                                              static_cast<unsigned>(alignmentOf(shape)));
    return loaded.getType() == type ? loaded : LLVM::BitcastOp::create(builder, site.loc, type, loaded);
  }
  ptx::ValueVector other;
  if (operands.getOther()) {
    other = unpack(builder, site.loc, operands.getOther());
  } else {
    mlir::Value zero = LLVM::ConstantOp::create(builder, site.loc, shape.type, builder.getZeroAttr(shape.type));
    other.assign(shape.count, zero);
  }
  ptx::ValueVector registers = ptx::loadGlobal(site, operands.getPointer(), widen(site, other), bitsOf(shape.type),
                                               op.getCache(), operands.getPredicate());
  return pack(builder, site.loc, narrow(site, registers, shape.type), type);
}

static mlir::Value storeGlobal(StGlobalOp op, StGlobalOp::Adaptor operands, ptx::Site site) {
  mlir::OpBuilder &builder = site.builder;
  auto type = llvm::cast<mlir::VectorType>(operands.getValue().getType());
  RegisterShape shape = registerShape(type);
  ptx::ValueVector registers = unpack(builder, site.loc, operands.getValue());
  if (!operands.getPredicate() && op.getCache() == Access::weak) {
    mlir::Type whole = memoryType(shape);
    mlir::Value value = shape.count == 1 ? registers.front()
                                         : vectorOf(builder, site.loc, registers, llvm::cast<mlir::VectorType>(whole));
    LLVM::StoreOp::create(builder, site.loc, value, operands.getPointer(), static_cast<unsigned>(alignmentOf(shape)));
    return {};
  }
  ptx::storeGlobal(site, operands.getPointer(), widen(site, registers), bitsOf(shape.type), op.getCache(),
                   operands.getPredicate());
  return {};
}

// --- cp.async ---

static void addCpAsyncPatterns(Patterns patterns) {
  patterns.add<CpAsyncOp>([](auto op, auto operands, auto site) {
    ptx::cpAsync(site, operands.getDestination(), operands.getSource(), op.getBytes(), operands.getValid());
    return mlir::Value();
  });
  patterns.add<CpAsyncCommitOp>([](auto, auto, auto site) {
    NVVM::CpAsyncCommitGroupOp::create(site.builder, site.loc);
    return mlir::Value();
  });
  patterns.add<CpAsyncWaitOp>([](auto op, auto, auto site) {
    NVVM::CpAsyncWaitGroupOp::create(site.builder, site.loc, op.getPending());
    return mlir::Value();
  });
  patterns.add<CpAsyncArriveOp>([](auto, auto operands, auto site) {
    ptx::cpAsyncArrive(site, operands.getBarrier());
    return mlir::Value();
  });
}

void addMemoryPatterns(Patterns patterns) {
  patterns.add<SharedBaseOp>([](auto, auto, auto site) { return sharedBase(site); });
  patterns.add<OffsetOp>([](auto, auto operands, auto site) -> mlir::Value {
    return LLVM::AddOp::create(site.builder, site.loc, operands.getBase(), operands.getBytes());
  });
  patterns.add<SharedAddressOp>([](auto, auto operands, auto) { return operands.getAddress(); });
  patterns.add<SharedAtOp>([](auto, auto operands, auto) { return operands.getNumber(); });
  patterns.add<GlobalOffsetOp>([](auto, auto operands, auto site) { return globalOffset(operands, site); });
  patterns.add<LdSharedOp>(loadShared);
  patterns.add<StSharedOp>(storeShared);
  patterns.add<LdMatrixOp>(ldmatrix);
  patterns.add<StMatrixOp>(stmatrix);
  patterns.add<LdGlobalOp>(loadGlobal);
  patterns.add<StGlobalOp>(storeGlobal);
  patterns.add<AtomicAddOp>([](auto op, auto operands, auto site) {
    return ptx::atomicAdd(site, operands.getPointer(), operands.getValue(), op.getOrder(), operands.getPredicate());
  });
  addCpAsyncPatterns(patterns);
}

} // namespace tegula::nv
