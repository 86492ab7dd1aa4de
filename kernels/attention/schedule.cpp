// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of schedules, what they need, and which one a problem gets.
#include "kernels/attention/schedule.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <sstream>

#include <fmt/format.h>

#include "runtime/result/complaints.h"

namespace tegula {
namespace {

struct Field {
  std::string_view name;
  int AttentionSchedule::*place;
  int least, most;
};

constexpr Field kFields[] = {
#define TEGULA_ATTENTION_FIELD(field, text, initial, least, most, help) {#text, &AttentionSchedule::field, least, most},
#include "kernels/attention/schedule.def"
#undef TEGULA_ATTENTION_FIELD
};

struct Measured {
  int64_t head_dim; // up to this
  AttentionSchedule schedule;
};
constexpr Measured kMeasured[] = {
#define TEGULA_ATTENTION_MEASURED(most, keys, groups, slots) {most, {.n = keys, .math = groups, .stages = slots}},
#include "kernels/attention/measured.def"
#undef TEGULA_ATTENTION_MEASURED
};

constexpr int64_t kManyTiles = 64; // rows of tiles from which the last ones weigh so much more that heads go first

} // namespace

std::string to_string(const AttentionSchedule &schedule) {
  std::string text;
  for (const Field &field : kFields)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", field.name, schedule.*field.place);
  return text;
}

std::string to_string(const CombineSchedule &schedule) {
  return fmt::format("parts={} warps={}", schedule.parts, schedule.warps);
}

CombineSchedule choose_combine(int64_t splits) {
  const auto parts = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(splits, 8))));
  return {.parts = parts, .warps = std::min<int64_t>(parts / 8, 8)};
}

Result<AttentionSchedule> parse_attention_schedule(std::string_view text, const AttentionSchedule &base) {
  AttentionSchedule schedule = base;
  Complaints wrong;
  std::string words(text);
  std::replace(words.begin(), words.end(), ',', ' ');
  std::istringstream stream(words);
  for (std::string word; stream >> word;) {
    const size_t equals = std::min(word.find('='), word.size());
    const std::string key = word.substr(0, equals), value = word.substr(std::min(equals + 1, word.size()));
    const Field *field = std::find_if(std::begin(kFields), std::end(kFields), [&](auto &f) { return f.name == key; });
    if (field == std::end(kFields)) {
      wrong.add(fmt::format("a schedule has no field '{}'; it has {}", key, to_string(AttentionSchedule())));
      continue;
    }
    int number = 0;
    const auto [end, status] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (status != std::errc() || end != value.data() + value.size() || number < field->least || number > field->most)
      wrong.add(
          fmt::format("{} is '{}'; it must be a whole number from {} to {}", key, value, field->least, field->most));
    else
      schedule.*field->place = number;
  }
  TEGULA_CHECK(wrong.verdict("bad schedule"));
  return schedule;
}

int64_t shared_bytes(const AttentionProblem &problem, const AttentionSchedule &schedule) {
  const int64_t rows = kQueriesOfWarpgroup * schedule.math, d = padded(problem.head_dim),
                dv = padded(problem.head_dim_v);
  const int64_t staging = rows * std::min<int64_t>(dv, 64) * bytes(problem.dtype);
  return (schedule.q_stages * rows * d + schedule.stages * schedule.n * (d + dv)) * bytes(problem.dtype) + staging +
         kAttentionReserve;
}

Result<void> validate(const AttentionProblem &problem, const AttentionSchedule &schedule, int64_t shared_limit) {
  Complaints wrong;
  if (schedule.n % 16 != 0)
    wrong.add(fmt::format("tile_n is {}; it must be a multiple of 16", schedule.n));
  if (const int64_t need = shared_bytes(problem, schedule); need > shared_limit)
    wrong.add(
        fmt::format("head dims {} and {} with {} need {} bytes of shared memory; the device has {}: lower tile_n, "
                    "stages, q_stages or math",
                    problem.head_dim, problem.head_dim_v, to_string(schedule), need, shared_limit),
        ErrorCode::unsupported);
  return wrong.verdict("cannot build attention");
}

AttentionSchedule choose_schedule(const AttentionProblem &problem, int64_t seq_q, int64_t shared_limit) {
  const int64_t head_dim = std::max(problem.head_dim, problem.head_dim_v);
  if (problem.packed) { // memory is what counts: many keys in flight
    AttentionSchedule schedule{.n = head_dim > 128 ? 64 : 128, .math = 1, .stages = 8, .turns = 0};
    while (shared_bytes(problem, schedule) > shared_limit && schedule.stages > 1)
      --schedule.stages;
    return schedule;
  }
  const Measured *measured = std::find_if(std::begin(kMeasured), std::end(kMeasured) - 1,
                                          [&](const Measured &m) { return head_dim <= m.head_dim; });
  AttentionSchedule schedule = measured->schedule;
  schedule.heads_first = problem.mask == Mask::causal && seq_q >= kManyTiles * kQueriesOfWarpgroup * schedule.math;
  while (shared_bytes(problem, schedule) > shared_limit && schedule.n > 16)
    schedule.n -= 16;
  return schedule;
}

} // namespace tegula
