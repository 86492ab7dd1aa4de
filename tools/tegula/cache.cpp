// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tegula cache: what lies in the kernel cache, whether it is sound, away with it.
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "runtime/cache/kernel_cache.h"
#include "tools/tegula/commands.h"
#include "tools/tegula/console.h"

namespace tegula {
namespace {

using Json = nlohmann::ordered_json;

std::string when(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  return fmt::format("{:%Y-%m-%d %H:%M}", fmt::localtime(seconds));
}

Json to_json(const EntryInfo &entry) {
  Json parts = Json::object();
  for (const KeyPart &part : entry.parts)
    parts[part.name] = part.value;
  return {{"key", entry.key}, {"path", entry.path}, {"bytes", entry.bytes}, {"damage", entry.damage}, {"parts", parts}};
}

std::string part_of(const EntryInfo &entry, std::string_view name) {
  for (const KeyPart &part : entry.parts)
    if (part.name == name)
      return part.value;
  return "";
}

Result<int> print_entries(const KernelCache &cache, bool json) {
  TEGULA_TRY(const std::vector<EntryInfo> entries, cache.list());
  if (json) {
    Json list = Json::array();
    for (const EntryInfo &entry : entries)
      list.push_back(to_json(entry));
    fmt::print("{}\n", list.dump(2));
    return 0;
  }
  int64_t bytes = 0;
  for (const EntryInfo &entry : entries) {
    bytes += entry.bytes;
    fmt::print("{} {:>9} {} {} {} {}\n", entry.key.substr(0, 12), entry.bytes, when(entry.last_used),
               part_of(entry, "target"), entry.damage.empty() ? part_of(entry, "kernel") : "damaged: " + entry.damage,
               part_of(entry, "schedule"));
  }
  fmt::print("{} kernels, {} bytes\n", entries.size(), bytes);
  return 0;
}

Result<int> verify_cache(const KernelCache &cache, bool json) {
  TEGULA_TRY(const VerifyReport report, cache.verify());
  if (json) {
    Json damaged = Json::array();
    for (const EntryInfo &entry : report.damaged)
      damaged.push_back(to_json(entry));
    fmt::print("{}\n", Json{{"sound", report.sound}, {"bytes", report.bytes}, {"damaged", damaged}}.dump(2));
  } else {
    for (const EntryInfo &entry : report.damaged)
      fmt::print("{} {}: {}\n", verdict_word(false), entry.path, entry.damage);
    fmt::print("{} sound ({} bytes), {} damaged{}\n", report.sound, report.bytes, report.damaged.size(),
               report.damaged.empty() ? "" : "; each is replaced when its kernel is next compiled");
  }
  return report.damaged.empty() ? 0 : 1;
}

Result<int> clear_cache(KernelCache &cache, bool json) {
  TEGULA_TRY(const ClearReport report, cache.clear());
  for (const std::string &kept : report.kept)
    print_warning(fmt::format("kept {}", kept));
  if (json)
    fmt::print("{}\n", Json{{"removed", report.removed}, {"bytes", report.bytes}, {"kept", report.kept}}.dump(2));
  else
    fmt::print("removed {} kernels, {} bytes\n", report.removed, report.bytes);
  return report.kept.empty() ? 0 : 1;
}

Result<int> print_path(const CacheDirectory &directory, bool json) {
  if (json)
    fmt::print("{}\n",
               Json{{"path", directory.path}, {"source", directory.source}, {"problem", directory.problem}}.dump(2));
  else if (directory.path.empty())
    print_warning(fmt::format("there is no cache on disk: {}", directory.problem));
  else
    fmt::print("{}\n", directory.path);
  return directory.path.empty() ? 1 : 0;
}

} // namespace

Result<int> run_cache(const Arguments &arguments) {
  KernelCache cache = KernelCache::open(
      read_environment(), {.directory = arguments.cache_directory, .warn = print_warning, .before_step = {}});
  if (arguments.cache_action == "path")
    return print_path(cache.directory(), arguments.json);
  if (arguments.cache_action == "list")
    return print_entries(cache, arguments.json);
  return arguments.cache_action == "verify" ? verify_cache(cache, arguments.json) : clear_cache(cache, arguments.json);
}

} // namespace tegula
