// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What fits a block: shared memory, registers of a tile, warps, register budgets. Knows no IR.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/dsl/kernel_builder.h"

namespace tegula::dsl {

/// Bytes of shared memory that a block of either target may have: 227 KiB (CUDA programming guide, compute
/// capabilities).
inline constexpr int64_t kMaxSharedBytes = 232448;
/// Warps of a block: 1024 threads.
inline constexpr int64_t kMaxWarps = 32;
/// 32-bit registers of a thread that one tile may take; more could never be held at once.
inline constexpr int64_t kMaxTileRegisters = 256;

/// A piece of a block's shared memory.
struct SharedPiece {
  int64_t stages = 1;      ///< 1 for a plain tile
  int64_t stage_bytes = 0; ///< tiles, each rounded up to 1024 bytes as swizzles want, or to 16 where plain
  bool ring = false;
};

/// Bytes of all pieces with the rings' barriers, two of 8 bytes a stage.
[[nodiscard]] int64_t shared_bytes(const std::vector<SharedPiece> &pieces);

/// The fault of piece `last`, the one that made the sum pass the limit: the number, the limit, what to do.
[[nodiscard]] std::string shared_fault(const std::vector<SharedPiece> &pieces, size_t last);

/// The fault of a register tile of that shape in the hands of `warps` warps, if there is one.
[[nodiscard]] std::optional<std::string> tile_fault(DType dtype, const Shape &shape, int64_t warps);

/// The fault of register budgets that do not fit a block's 65536 registers, if there is one: the sum over all roles of
/// threads times budget, against what the threads get at entry (PTX ISA 9.0, setmaxnreg).
[[nodiscard]] std::optional<std::string> budget_fault(const std::vector<RoleShape> &roles);

} // namespace tegula::dsl
