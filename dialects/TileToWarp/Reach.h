// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a tensor in global memory can be reached: by TMA, or by threads, and the rule that decides.

#ifndef TEGULA_DIALECTS_TILETOWARP_REACH_H
#define TEGULA_DIALECTS_TILETOWARP_REACH_H

#include "compiler/layout/outcome.h"
#include "compiler/layout/tma_box.h"
#include "dialects/Warp/IR/WarpDialect.h"

namespace tegula {

/// A tile of a tensor: the kernel's argument or a window of it, and where the tile begins, in elements, a value a dim of
/// the tensor.
struct GlobalTile {
  mlir::Value global;
  llvm::SmallVector<mlir::Value> offsets;

  tile::GlobalType type() const { return mlir::cast<tile::GlobalType>(global.getType()); }
  tile::WindowOp window() const { return global.getDefiningOp<tile::WindowOp>(); }
  unsigned argument() const { return tile::argumentOf(global).getArgNumber(); }
  tile::KernelOp kernel() const {
    return mlir::cast<tile::KernelOp>(tile::argumentOf(global).getOwner()->getParentOp());
  }
  llvm::StringRef name() const { return kernel().getArgName(argument()); }
  /// What address and strides are promised to be multiples of, in bytes.
  int64_t align() const { return kernel().getArgAlign(argument()); }
};

/// Sees through slices and subviews of slices (adding up their offsets before `builder`'s insertion point). Nothing for
/// views that are transposed or not of a tensor.
std::optional<GlobalTile> globalTile(mlir::Value view, mlir::OpBuilder &builder);

/// The dim of a tile of `rank` dims that has stride 1; negative where the tensor promises none.
int tileUnitDim(tile::GlobalType global, int64_t rank);

/// Whether TMA can load tiles of the tensor into a tile laid out as `layout`; the plan, or the rule that forbids it.
layout::Outcome<layout::TmaPlan> planTmaLoad(const GlobalTile &tile, const layout::SharedLayout &layout,
                                             layout::TmaParts parts = {});

/// Whether TMA can store to the tensor: as for loads, and the rows end at a multiple of 16 bytes, since TMA clips in
/// steps of 16 bytes (measured on an H200).
layout::Outcome<layout::TmaPlan> planTmaStore(const GlobalTile &tile, const layout::SharedLayout &layout);

/// Notes on the kernel which way a tensor is reached, for `inspect`.
void notePath(const GlobalTile &tile, llvm::StringRef what, llvm::StringRef path);

} // namespace tegula

#endif // TEGULA_DIALECTS_TILETOWARP_REACH_H
