// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text form and limits of GEMM schedules, generated from schedule.def.
#include "kernels/gemm/schedule.h"

#include <array>
#include <charconv>
#include <vector>

#include <fmt/format.h>

#include "kernels/naming/near_miss.h"
#include "runtime/result/complaints.h"

namespace tegula {
namespace {

struct Field {
  std::string_view text;
  int GemmSchedule::*member;
  int least;
  int most;
  bool in_kernel;
};

constexpr std::array kFields = {
#define TEGULA_GEMM_FIELD(field, text, initial, least, most, in_kernel, help)                                          \
  Field{#text, &GemmSchedule::field, least, most, in_kernel},
#include "kernels/gemm/schedule.def"
#undef TEGULA_GEMM_FIELD
};

std::string join(const GemmSchedule &schedule, bool kernel_only) {
  std::string text;
  for (const Field &field : kFields)
    if (field.in_kernel || !kernel_only)
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", field.text, schedule.*field.member);
  return text;
}

std::string unknown_field(std::string_view given) {
  std::vector<std::string_view> names;
  for (const Field &field : kFields)
    names.push_back(field.text);
  return fmt::format("unknown schedule field '{}'{}; the fields are {}", given, near_miss(given, names),
                     fmt::join(names, ", "));
}

void read_field(std::string_view item, GemmSchedule &schedule, Complaints &wrong) {
  const size_t equals = item.find('=');
  if (equals == std::string_view::npos)
    return wrong.add(fmt::format("'{}' is not of the form name=value", item));
  const std::string_view key = item.substr(0, equals), text = item.substr(equals + 1);
  for (const Field &field : kFields) {
    if (field.text != key)
      continue;
    int value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc() || end != text.data() + text.size() || value < field.least || value > field.most)
      return wrong.add(
          fmt::format("{} is '{}'; it must be a whole number from {} to {}", key, text, field.least, field.most));
    schedule.*field.member = value;
    return;
  }
  wrong.add(unknown_field(key));
}

// Rows of D that one math warpgroup multiplies: its share of the tile, or the whole of its own.
int rows_of_warpgroup(const GemmSchedule &schedule) {
  return schedule.pingpong ? schedule.m : schedule.m / schedule.math;
}

void check_tiles(const GemmProblem &problem, const GemmSchedule &schedule, Complaints &wrong) {
  const int rows = rows_of_warpgroup(schedule);
  if (rows % 64 != 0 || rows == 0 || rows * (schedule.pingpong ? 1 : schedule.math) != schedule.m)
    wrong.add(fmt::format("tile_m={} gives each of {} math warpgroups {} rows; wgmma takes a multiple of 64",
                          schedule.m, schedule.math, rows));
  if (schedule.n % 8 != 0)
    wrong.add(fmt::format("tile_n={} is no multiple of 8, wgmma's step", schedule.n));
  if (schedule.k % 16 != 0)
    wrong.add(fmt::format("tile_k={} is no multiple of 16, one wgmma's K", schedule.k));
  // 64 elements of 16 bits are the 128 bytes of the widest swizzle; a part of one more atom can't be addressed.
  if (!problem.b.transposed && schedule.n > 64 && schedule.n % 64 != 0)
    wrong.add(fmt::format("tile_n={} with B stored [K, N]; it must be a multiple of 64 above 64", schedule.n));
  if (rows * int64_t{schedule.n} / 128 > 208)
    wrong.add(fmt::format("tile {}x{} needs {} accumulator registers a thread; at most 208 leave room for the rest: "
                          "lower tile_n or raise math",
                          schedule.m, schedule.n, rows * schedule.n / 128));
}

void check_registers(const GemmSchedule &schedule, Complaints &wrong) {
  for (auto [text, value] :
       {std::pair{"load_registers", schedule.load_registers}, std::pair{"math_registers", schedule.math_registers}})
    if (value != 0 && (value < 24 || value % 8 != 0))
      wrong.add(fmt::format("{}={}; setmaxnreg takes 24 to 256 in steps of 8", text, value));
  if ((schedule.load_registers == 0) != (schedule.math_registers == 0))
    wrong.add(fmt::format("load_registers={} and math_registers={}; give both or neither", schedule.load_registers,
                          schedule.math_registers));
  // A block has 65536 registers and starts with as many a thread, rounded down to 8 (PTX ISA 9.0, setmaxnreg).
  const int threads = 128 * (1 + schedule.math);
  const int pool = 65536 / threads / 8 * 8 * threads;
  const int asked = 128 * (schedule.load_registers + schedule.math * schedule.math_registers);
  if (asked > pool)
    wrong.add(fmt::format("the roles ask for {} registers; a block of {} threads has {}: lower math_registers", asked,
                          threads, pool));
}

} // namespace

std::string to_string(const GemmSchedule &schedule) { return join(schedule, false); }
std::string kernel_key(const GemmSchedule &schedule) { return join(schedule, true); }

std::map<std::string, std::string> to_map(const GemmSchedule &schedule) {
  std::map<std::string, std::string> map;
  for (const Field &field : kFields)
    map.emplace(field.text, std::to_string(schedule.*field.member));
  return map;
}

Result<GemmSchedule> parse_schedule(std::string_view text, const GemmSchedule &base) {
  GemmSchedule schedule = base;
  Complaints wrong;
  while (!text.empty()) {
    const size_t end = text.find_first_of(", ");
    if (const std::string_view item = text.substr(0, end); !item.empty())
      read_field(item, schedule, wrong);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  TEGULA_CHECK(wrong.verdict("bad schedule"));
  return schedule;
}

int64_t shared_bytes(const GemmProblem &problem, const GemmSchedule &schedule) {
  const int64_t slot = (int64_t{schedule.m} + schedule.n) * schedule.k * bytes(problem.in);
  // D passes through shared memory a column block of 64 a warpgroup at a time, twice so that stores overlap.
  const int64_t staging =
      int64_t{schedule.m} * std::min(schedule.n, 64) * bytes(problem.partial ? DType::f32 : problem.out);
  return schedule.stages * slot + staging;
}

Result<void> validate(const GemmProblem &problem, const GemmSchedule &schedule, int64_t shared_limit) {
  Complaints wrong;
  check_tiles(problem, schedule, wrong);
  check_registers(schedule, wrong);
  if (const int64_t need = shared_bytes(problem, schedule) + kSharedReserve; need > shared_limit)
    wrong.add(fmt::format("schedule needs {} bytes of shared memory a block; the device has {}: lower stages ({}) or "
                          "the tile ({}x{}x{})",
                          need, shared_limit, schedule.stages, schedule.m, schedule.n, schedule.k));
  return wrong.verdict(fmt::format("no gemm with the schedule '{}'", to_string(schedule)));
}

} // namespace tegula
