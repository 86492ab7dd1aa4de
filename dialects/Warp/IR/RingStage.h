// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the slots of one stage of a ring lie.

#ifndef TEGULA_DIALECTS_WARP_IR_RINGSTAGE_H
#define TEGULA_DIALECTS_WARP_IR_RINGSTAGE_H

#include "dialects/Warp/IR/WarpDialect.h"

namespace tegula::warp {

struct RingStage {
  llvm::SmallVector<int64_t> slotOffsets; ///< bytes from the stage's start, each aligned for its slot's layout
  int64_t bytes = 0;                      ///< from one stage to the next
  int64_t alignment = 1;                  ///< of every stage
};

/// The slots, in order, each at the next address that suits its layout. All slots have layouts.
RingStage ringStage(tile::RingType ring);

} // namespace tegula::warp

#endif // TEGULA_DIALECTS_WARP_IR_RINGSTAGE_H
