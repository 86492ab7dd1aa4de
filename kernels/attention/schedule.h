// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schedules of attention: how a problem is run, apart from what it computes.
#pragma once

#include <string>
#include <string_view>

#include "kernels/attention/problem.h"

namespace tegula {

struct AttentionSchedule {
#define TEGULA_ATTENTION_FIELD(field, text, initial, least, most, help) int field = initial;
#include "kernels/attention/schedule.def"
#undef TEGULA_ATTENTION_FIELD

  bool operator==(const AttentionSchedule &) const = default;
};

/// Queries that a math warpgroup keeps.
inline constexpr int64_t kQueriesOfWarpgroup = 64;
/// Columns that a head dim takes in a tile: a multiple of what one wgmma takes of k.
[[nodiscard]] constexpr int64_t padded(int64_t head_dim) { return (head_dim + 15) / 16 * 16; }

/// Parts that the keys are cut into at most.
inline constexpr int64_t kMostParts = 128;

/// How the parts of a row are added up: all of them in one tile.
struct CombineSchedule {
  int64_t parts = 8; ///< rows of the tile, a power of two
  int64_t warps = 1; ///< of a block

  bool operator==(const CombineSchedule &) const = default;
};
[[nodiscard]] std::string to_string(const CombineSchedule &schedule);
/// For `splits` parts.
[[nodiscard]] CombineSchedule choose_combine(int64_t splits);

/// Every field as "name=value".
[[nodiscard]] std::string to_string(const AttentionSchedule &schedule);

/// Reads "tile_n=96 math=3" over `base`; commas may stand for spaces.
/// \errors bad_argument: each word that is no field or has no possible value.
[[nodiscard]] Result<AttentionSchedule> parse_attention_schedule(std::string_view text,
                                                                 const AttentionSchedule &base = {});

/// What a block needs of shared memory, with barriers and alignment.
[[nodiscard]] int64_t shared_bytes(const AttentionProblem &problem, const AttentionSchedule &schedule);
inline constexpr int64_t kAttentionReserve = 1024;

/// \errors bad_argument or unsupported, naming value, need and limit, before anything is compiled.
[[nodiscard]] Result<void> validate(const AttentionProblem &problem, const AttentionSchedule &schedule,
                                    int64_t shared_limit = 232448);

/// The schedule that was measured best for the head dims (measured.def), with fewer keys a slot where the device has not
/// the shared memory. With a causal mask and many tiles of queries all heads' heaviest tiles go first.
[[nodiscard]] AttentionSchedule choose_schedule(const AttentionProblem &problem, int64_t seq_q,
                                                int64_t shared_limit = 232448);

} // namespace tegula
