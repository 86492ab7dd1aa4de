// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a GEMM is run: tile sizes, stages, roles, order. A plain value with a text form; schedule_table.h chooses one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "kernels/gemm/problem.h"

namespace tegula {

/// Fields, defaults and limits: schedule.def.
struct GemmSchedule {
#define TEGULA_GEMM_FIELD(field, text, initial, least, most, in_kernel, help) int field = initial;
#include "kernels/gemm/schedule.def"
#undef TEGULA_GEMM_FIELD

  bool operator==(const GemmSchedule &) const = default;
};

/// "tile_m=128 tile_n=256 ... split_k=1": every field, in the table's order.
[[nodiscard]] std::string to_string(const GemmSchedule &schedule);

/// The fields that shape the code, in the same form: a part of the kernel's cache key.
[[nodiscard]] std::string kernel_key(const GemmSchedule &schedule);

/// Name and value of each field, for the manifest and for JSON.
[[nodiscard]] std::map<std::string, std::string> to_map(const GemmSchedule &schedule);

/// Reads "tile_m=128,stages=6" (commas or blanks between) over `base`.
/// \errors bad_argument: an unknown name (with the nearest known one) or a value out of its limits; all at once.
[[nodiscard]] Result<GemmSchedule> parse_schedule(std::string_view text, const GemmSchedule &base = {});

/// Shared memory that the ring and the staging of D need, in bytes; barriers and alignment come on top
/// (kSharedReserve).
[[nodiscard]] int64_t shared_bytes(const GemmProblem &problem, const GemmSchedule &schedule);
inline constexpr int64_t kSharedReserve = 2048;

/// Whether the kernel can be built so; names each field at fault, its value, the limit and what to lower. Takes no
/// time: a schedule that can't fit is refused here, before anything is compiled.
[[nodiscard]] Result<void> validate(const GemmProblem &problem, const GemmSchedule &schedule,
                                    int64_t shared_limit = 232448);

} // namespace tegula
