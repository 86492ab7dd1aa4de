// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a kernel out for one thread. The emitter walks the kernel in order, keeps what each value became, and hands
// every op to the lowering of its family (Lowerings.h).
//
//     index                     i64
//     tensor<64x256xf32, F>     vector<128xf32>: the registers of fragment F, in F's order
//     !tile.view<…, shared>     !nv.shared: where it begins
//     !tile.global              nothing: a GlobalArgument holds its pointer, strides and extents

#ifndef TEGULA_DIALECTS_WARPTONV_EMITTER_H
#define TEGULA_DIALECTS_WARPTONV_EMITTER_H

#include "dialects/WarpToNV/TensorMaps.h"
#include "dialects/WarpToNV/WarpToNV.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tegula {

/// A window as TMA's coordinates show it: see runtime/launch/tensor_window.h.
struct GlobalWindow {
  int dim;
  mlir::Value shift; ///< i32, added to coordinates along `dim`
  mlir::Value end;   ///< i32, the tensor's row behind the window
};

/// What the kernel knows of a tensor, or of a window of one, at run time.
struct GlobalArgument {
  mlir::Value pointer;
  llvm::SmallVector<mlir::Value> strides; ///< i64, in elements; null for the unit dim
  llvm::SmallVector<mlir::Value> extents; ///< i64
  std::optional<GlobalWindow> window;
};

/// The role that is being written out.
struct RoleContext {
  tile::RoleOp op;
  mlir::Value instance;                             ///< i32
  mlir::Value warp;                                 ///< i32, within the instance
  mlir::Value lane;                                 ///< i32
  mlir::Value leader;                               ///< i1: one thread of the instance, always the same one
  int64_t firstBarrier = 0;                         ///< named barrier of instance 0; the others follow
  llvm::DenseMap<mlir::Operation *, int64_t> turns; ///< first named barrier of each tile.turn: one an instance
  bool singleThread = false;
  bool storesByTma = false;
};

/// Where a ring stands, for one role; variables that LLVM turns into registers.
struct RingState {
  mlir::Value index, phase, freed; ///< pointers to i32: next stage, its parity, next stage to free
};

class Emitter {
public:
  Emitter(tile::KernelOp kernel, KernelManifest &manifest);

  /// Kernel.cpp: makes the nv.kernel, its arguments and the manifest, then writes out all roles.
  mlir::LogicalResult run();

  mlir::LogicalResult emitBlock(mlir::Block &block);
  mlir::LogicalResult emit(mlir::Operation *op);

  mlir::Value lookup(mlir::Value value) { return values.lookup(value); }
  void bind(mlir::Value from, mlir::Value to) { values.map(from, to); }
  mlir::Type convert(mlir::Type type);
  const GlobalArgument &global(mlir::Value tensor) const { return globals.find(tensor)->second; }
  void bindGlobal(mlir::Value tensor, GlobalArgument is) { globals[tensor] = std::move(is); }

  // Small builders.
  mlir::Value i1(bool value);
  mlir::Value i32(int64_t value);
  mlir::Value i64(int64_t value);
  mlir::Value asI32(mlir::Value value); ///< of an i64 or i32
  mlir::Value asI64(mlir::Value value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value both(mlir::Value a, mlir::Value b); ///< of i1; null counts as true
  mlir::Value sharedAt(int64_t byteOffset);
  mlir::Value element(mlir::Value vector, int64_t index);
  mlir::Value vectorOf(llvm::ArrayRef<mlir::Value> elements);
  /// Runs `body` under `condition`.
  void when(mlir::Value condition, llvm::function_ref<void()> body);
  /// A barrier among the threads of the role's instance.
  void syncInstance();
  /// A variable of the thread, at the kernel's entry.
  mlir::Value variable(int64_t initial);
  RingState &ringState(mlir::Value ring);

  tile::KernelOp kernel;
  nv::KernelOp target;
  KernelManifest &manifest;
  mlir::ImplicitLocOpBuilder b;
  TensorMaps maps;
  RoleContext role;
  mlir::Value warpId, sharedBase;

private:
  mlir::LogicalResult emitGeneric(mlir::Operation *op);
  mlir::LogicalResult emitFor(mlir::scf::ForOp loop);
  mlir::LogicalResult emitIf(mlir::scf::IfOp op);
  mlir::LogicalResult emitCast(mlir::arith::IndexCastOp op);
  mlir::LogicalResult emitConstant(mlir::arith::ConstantOp op);

  friend class KernelFrame;

  mlir::IRMapping values;
  llvm::DenseMap<mlir::Value, GlobalArgument> globals;
  llvm::DenseMap<std::pair<mlir::Operation *, mlir::Value>, RingState> rings; ///< by role and ring
};

} // namespace tegula

#endif // TEGULA_DIALECTS_WARPTONV_EMITTER_H
