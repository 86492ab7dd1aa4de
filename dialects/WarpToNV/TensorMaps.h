// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tensor maps of a kernel: one for each tensor, box and swizzle, whoever uses it.

#ifndef TEGULA_DIALECTS_WARPTONV_TENSORMAPS_H
#define TEGULA_DIALECTS_WARPTONV_TENSORMAPS_H

#include "compiler/layout/tma_box.h"
#include "dialects/Warp/IR/WarpDialect.h"
#include "runtime/launch/manifest.h"

namespace tegula {

/// How one op uses TMA.
struct TmaUse {
  layout::TmaPlan plan;
  int map = 0;                       ///< index among the kernel's maps
  llvm::SmallVector<int> tensorDims; ///< the tensor's dim that is dim i of the map, innermost first
  int droppedDims = 0;               ///< leading dims of the tensor that the tile has not
};

class TensorMaps {
public:
  /// Finds all that use TMA in the kernel.
  mlir::LogicalResult collect(tile::KernelOp kernel);

  const TmaUse &use(mlir::Operation *op) const { return uses.find(op)->second; }
  llvm::ArrayRef<TensorMapInfo> infos() const { return maps; }

private:
  mlir::LogicalResult add(mlir::Operation *op, mlir::Value global, const layout::SharedLayout &layout,
                          layout::TmaParts parts);
  int mapFor(TensorMapInfo info);

  std::vector<TensorMapInfo> maps;
  llvm::DenseMap<mlir::Operation *, TmaUse> uses;
};

} // namespace tegula

#endif // TEGULA_DIALECTS_WARPTONV_TENSORMAPS_H
