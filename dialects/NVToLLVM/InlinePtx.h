// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The instructions that NVVM lacks, or has without what we need of them (predicates, addresses of 32 bits, registers).
// Every operand is an LLVM value: shared addresses and barriers i32, descriptors i64; a null predicate is "always".
#ifndef TEGULA_DIALECTS_NVTOLLVM_INLINEPTX_H
#define TEGULA_DIALECTS_NVTOLLVM_INLINEPTX_H

#include "dialects/NV/IR/NVDialect.h"

namespace tegula::nv::ptx {

/// Where an instruction goes, and its location.
struct Site {
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

using Values = llvm::ArrayRef<mlir::Value>;
using ValueVector = llvm::SmallVector<mlir::Value>;

// mbarrier
void mbarrierInit(Site site, mlir::Value barrier, int32_t count, mlir::Value predicate);
void mbarrierArrive(Site site, mlir::Value barrier, mlir::Value predicate);
void mbarrierArriveRemote(Site site, mlir::Value barrier, mlir::Value rank, mlir::Value predicate);
void mbarrierArriveExpect(Site site, mlir::Value barrier, mlir::Value bytes, mlir::Value predicate);
void mbarrierExpect(Site site, mlir::Value barrier, mlir::Value bytes, mlir::Value predicate);
void mbarrierWait(Site site, mlir::Value barrier, mlir::Value parity);
mlir::Value mbarrierTryWait(Site site, mlir::Value barrier, mlir::Value parity);
void mbarrierInvalidate(Site site, mlir::Value barrier, mlir::Value predicate);

// bulk copies
struct BulkOptions {
  mlir::Value multicast; // i16, may be null
  mlir::Value predicate; // i1, may be null
  std::optional<L2Policy> cache;
};
void tmaLoad(Site site, mlir::Value map, Values coordinates, mlir::Value destination, mlir::Value barrier,
             const BulkOptions &options);
void tmaStore(Site site, mlir::Value map, Values coordinates, mlir::Value source, const BulkOptions &options);
void tmaReduce(Site site, ReduceKind kind, mlir::Value map, Values coordinates, mlir::Value source,
               const BulkOptions &options);
void tmaPrefetchMap(Site site, mlir::Value map, mlir::Value predicate);
void bulkLoad(Site site, mlir::Value source, mlir::Value destination, mlir::Value barrier, mlir::Value bytes,
              const BulkOptions &options);
void bulkStore(Site site, mlir::Value source, mlir::Value destination, mlir::Value bytes, mlir::Value predicate);

// wgmma
struct WgmmaForm {
  int64_t n, k;
  mlir::Type accumulator; // element type of D
  MmaType a, b;
  bool transA, transB, negateA, negateB;
};
/// `a` is one descriptor or four registers; `c` are the registers of the accumulator, whose new values are returned.
ValueVector wgmma(Site site, const WgmmaForm &form, Values a, mlir::Value b, Values c, mlir::Value scaleD);
/// Keeps registers alive up to here.
void keep(Site site, Values registers);
/// The same registers, tied through the wait.
ValueVector wgmmaWait(Site site, int32_t pending, Values registers);

// matrices, memory
ValueVector ldmatrix(Site site, mlir::Value address, int64_t count, bool trans);
void stmatrix(Site site, mlir::Value address, Values registers, bool trans);
ValueVector loadShared(Site site, mlir::Value address, mlir::Type registerType, int64_t count, int64_t bits);
void storeShared(Site site, mlir::Value address, Values registers, int64_t bits, mlir::Value predicate);
/// Loads where the predicate holds; elsewhere the result is `other`.
ValueVector loadGlobal(Site site, mlir::Value pointer, Values other, int64_t bits, Access access,
                       mlir::Value predicate);
void storeGlobal(Site site, mlir::Value pointer, Values registers, int64_t bits, Access access, mlir::Value predicate);
void cpAsync(Site site, mlir::Value destination, mlir::Value source, int32_t bytes, mlir::Value valid);
void cpAsyncArrive(Site site, mlir::Value barrier);
mlir::Value atomicAdd(Site site, mlir::Value pointer, mlir::Value value, Order order, mlir::Value predicate);

// fences
void fence(Site site, Scope scope);

/// The author's own PTX.
ValueVector custom(Site site, llvm::StringRef text, llvm::StringRef constraints, Values operands,
                   mlir::TypeRange results);

} // namespace tegula::nv::ptx

#endif // TEGULA_DIALECTS_NVTOLLVM_INLINEPTX_H
