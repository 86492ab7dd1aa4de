// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lowerings of each family of ops, and what they share. Each is in the file that the heading names.

#ifndef TEGULA_DIALECTS_WARPTONV_LOWERINGS_H
#define TEGULA_DIALECTS_WARPTONV_LOWERINGS_H

#include "dialects/WarpToNV/Emitter.h"

namespace tegula {

// Roles.cpp: dispatch of warps to roles, with register budgets.
mlir::LogicalResult emitRoles(Emitter &e);

// TileLoops.cpp
mlir::LogicalResult emitForTiles(Emitter &e, tile::ForTilesOp op);
mlir::LogicalResult emitTurn(Emitter &e, tile::TurnOp op);

// Rings.cpp
void initBarriers(Emitter &e);
mlir::LogicalResult emitAcquire(Emitter &e, warp::AcquireOp op);
mlir::LogicalResult emitCommit(Emitter &e, warp::CommitOp op);
mlir::LogicalResult emitWait(Emitter &e, warp::WaitOp op);
mlir::LogicalResult emitRelease(Emitter &e, warp::ReleaseOp op);
mlir::LogicalResult emitTmaLoad(Emitter &e, warp::TmaLoadOp op);
/// The consumer passes over `count` (i32) stages that are not its own.
void skipStages(Emitter &e, mlir::Value ring, mlir::Value count);

// Products.cpp
mlir::LogicalResult emitMma(Emitter &e, warp::MmaOp op);
mlir::LogicalResult emitMmaWait(Emitter &e, warp::MmaWaitOp op);
mlir::LogicalResult emitKeep(Emitter &e, warp::KeepOp op);

// Registers.cpp
mlir::LogicalResult emitSplat(Emitter &e, tile::SplatOp op);
mlir::LogicalResult emitIota(Emitter &e, tile::IotaOp op);
mlir::LogicalResult emitReduce(Emitter &e, tile::ReduceOp op);
mlir::LogicalResult emitBroadcast(Emitter &e, tile::BroadcastOp op);
mlir::LogicalResult emitTranspose(Emitter &e, tile::TransposeOp op);
mlir::LogicalResult emitConvertLayout(Emitter &e, warp::ConvertLayoutOp op);
mlir::LogicalResult emitPiece(Emitter &e, warp::PieceOp op);
/// What this thread adds to the coordinates of its registers: an i32 a dim.
llvm::SmallVector<mlir::Value> threadCoordinates(Emitter &e, llvm::ArrayRef<layout::ThreadTerm> terms, int rank);
/// True in the one thread among those that hold the same elements; null when there are no replicas.
mlir::Value firstReplica(Emitter &e, const layout::Fragment &fragment);

// SharedAccess.cpp
mlir::LogicalResult emitSubview(Emitter &e, tile::SubviewOp op);
mlir::LogicalResult emitLoadShared(Emitter &e, tile::LoadOp op);
mlir::LogicalResult emitStoreShared(Emitter &e, tile::StoreOp op);
/// Writes a fragment to a tile that begins at `base`.
void storeShared(Emitter &e, mlir::Value value, const layout::Fragment &fragment, const layout::SharedLayout &layout,
                 mlir::Value base);

// GlobalAccess.cpp
mlir::LogicalResult emitLoadGlobal(Emitter &e, warp::LoadGlobalOp op);
mlir::LogicalResult emitStoreGlobal(Emitter &e, warp::StoreGlobalOp op);

// GlobalReads.cpp
mlir::LogicalResult emitRead(Emitter &e, tile::ReadOp op);

// Windows.cpp
mlir::LogicalResult emitWindow(Emitter &e, tile::WindowOp op);

// TmaStores.cpp
mlir::LogicalResult emitTmaStore(Emitter &e, warp::TmaStoreOp op);

} // namespace tegula

#endif // TEGULA_DIALECTS_WARPTONV_LOWERINGS_H
