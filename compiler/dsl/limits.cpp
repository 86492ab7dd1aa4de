// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What fits a block, in words for those who exceed it.
#include "compiler/dsl/limits.h"

#include <algorithm>

#include <fmt/format.h>

namespace tegula::dsl {

static int64_t piece_bytes(const SharedPiece &piece) {
  return piece.stages * (piece.stage_bytes + (piece.ring ? 16 : 0));
}

int64_t shared_bytes(const std::vector<SharedPiece> &pieces) {
  int64_t sum = 0;
  for (const SharedPiece &piece : pieces)
    sum += piece_bytes(piece);
  return sum;
}

std::string shared_fault(const std::vector<SharedPiece> &pieces, size_t last) {
  const SharedPiece &piece = pieces[last];
  int64_t all = shared_bytes(pieces), others = all - piece_bytes(piece);
  std::string what = piece.ring ? fmt::format("{} stages of {} bytes", piece.stages, piece.stage_bytes)
                                : fmt::format("a tile of {} bytes", piece.stage_bytes);
  std::string rest = others ? fmt::format(", with the {} bytes declared before", others) : "";
  int64_t fit = piece.ring ? std::max<int64_t>(0, kMaxSharedBytes - others) / (piece.stage_bytes + 16) : 0;
  std::string way = fit > 0 ? fmt::format("use at most {} stage{}, or smaller tiles", fit, fit == 1 ? "" : "s")
                            : std::string("use smaller tiles");
  return fmt::format("too much shared memory: {}{} make {} bytes; a block has {}; {}", what, rest, all, kMaxSharedBytes,
                     way);
}

std::optional<std::string> tile_fault(DType dtype, const Shape &shape, int64_t warps) {
  int64_t elements = shape.elements(), threads = 32 * warps;
  int64_t most = kMaxTileRegisters * threads * 32 / bits(dtype);
  if (elements <= most)
    return std::nullopt;
  return fmt::format(
      "a tile of {} {} has {} elements, {} a thread of {} warps; at most {} fit ({} registers a thread); "
      "use a smaller tile, or more warps",
      shape.text(), name(dtype), elements, (elements + threads - 1) / threads, warps, most, kMaxTileRegisters);
}

std::optional<std::string> budget_fault(const std::vector<RoleShape> &roles) {
  int64_t threads = 0, wanted = 0;
  for (const RoleShape &role : roles) {
    if (!role.register_count)
      return std::nullopt;
    threads += 32 * role.instances * role.warps;
    wanted += 32 * role.instances * role.warps * role.register_count;
  }
  if (!threads)
    return std::nullopt;
  int64_t entry = std::min<int64_t>(255 / 8 * 8, 65536 / threads / 8 * 8);
  if (wanted <= entry * threads)
    return std::nullopt;
  return fmt::format("the roles ask for {} registers; {} threads start with {} each, {} in all; lower a budget", wanted,
                     threads, entry, entry * threads);
}

} // namespace tegula::dsl
