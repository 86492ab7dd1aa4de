// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads JSON strictly: every field is asked for by name and type, and what is missing, of the wrong type or unknown
// becomes a complaint that gives its path, as in "globals[1].dtype". For .cpp files only: it shows nlohmann's types.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <nlohmann/json.hpp>

#include "runtime/result/complaints.h"

namespace tegula {

/// Keeps the order of fields as written.
using Json = nlohmann::ordered_json;

/// \errors bad_argument with line and column.
[[nodiscard]] Result<Json> parse_json(std::string_view text);

/// A view of one JSON object while it is read. Its destructor complains about fields that nobody asked for.
///     JsonObject root(json, "", wrong);
///     std::string entry = root.string("entry");
///     root.each_object("globals", [&](JsonObject &global) { ... });
class JsonObject {
public:
  JsonObject(const Json &node, std::string path, Complaints &wrong);
  ~JsonObject();
  JsonObject(const JsonObject &) = delete;
  JsonObject &operator=(const JsonObject &) = delete;

  [[nodiscard]] bool has(std::string_view field) const;
  [[nodiscard]] std::string string(std::string_view field);
  [[nodiscard]] int64_t integer(std::string_view field, int64_t least = INT64_MIN, int64_t most = INT64_MAX);
  [[nodiscard]] bool boolean(std::string_view field);
  [[nodiscard]] std::vector<std::string> strings(std::string_view field);
  [[nodiscard]] std::vector<int64_t> integers(std::string_view field);
  /// An object of strings.
  void each_string(std::string_view field, const std::function<void(const std::string &, std::string)> &take);
  void each_object(std::string_view field, const std::function<void(JsonObject &)> &take);
  void object(std::string_view field, const std::function<void(JsonObject &)> &take);

  /// A string that `parse` (returning an optional) must understand; `wanted` says what would do.
  template <typename Parse> auto named(std::string_view field, std::string_view wanted, Parse parse) {
    std::string text = string(field);
    auto value = parse(std::string_view(text));
    if (!value && node_.is_object() && node_.contains(field) && node_[std::string(field)].is_string())
      complain(field, "is '" + text + "'; it must be one of " + std::string(wanted));
    return value ? *value : std::remove_cvref_t<decltype(*value)>{};
  }

  void complain(std::string_view field, std::string_view what);
  [[nodiscard]] const std::string &path() const { return path_; }

private:
  const Json *get(std::string_view field, std::string_view wanted, bool (Json::*is)() const noexcept);

  const Json &node_;
  std::string path_;
  Complaints &wrong_;
  std::set<std::string, std::less<>> asked_;
};

} // namespace tegula
