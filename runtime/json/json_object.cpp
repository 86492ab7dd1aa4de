// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The strict reader. nlohmann's exceptions end here.
#include "runtime/json/json_object.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace tegula {

Result<Json> parse_json(std::string_view text) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error &error) {
    size_t at = std::min<size_t>(error.byte > 0 ? error.byte - 1 : 0, text.size());
    std::string_view before = text.substr(0, at);
    size_t line = 1 + static_cast<size_t>(std::count(before.begin(), before.end(), '\n'));
    size_t column = at - (before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1) + 1;
    if (at == text.size())
      return Error(ErrorCode::bad_argument, fmt::format("not JSON: it ends early, at line {}", line));
    return Error(ErrorCode::bad_argument, fmt::format("not JSON: line {}, column {} can't be read", line, column));
  }
}

JsonObject::JsonObject(const Json &node, std::string path, Complaints &wrong)
    : node_(node), path_(std::move(path)), wrong_(wrong) {
  if (!node_.is_object())
    wrong_.add(fmt::format("{} must be an object", path_.empty() ? "the whole" : path_));
}

JsonObject::~JsonObject() {
  if (!node_.is_object())
    return;
  for (const auto &[field, value] : node_.items())
    if (!asked_.contains(field))
      complain(field, "is not known here");
}

void JsonObject::complain(std::string_view field, std::string_view what) {
  wrong_.add(fmt::format("{}{}{} {}", path_, path_.empty() ? "" : ".", field, what));
}

bool JsonObject::has(std::string_view field) const { return node_.is_object() && node_.contains(field); }

const Json *JsonObject::get(std::string_view field, std::string_view wanted, bool (Json::*is)() const noexcept) {
  asked_.emplace(field);
  if (!node_.is_object())
    return nullptr;
  auto found = node_.find(field);
  if (found == node_.end()) {
    complain(field, "is missing");
    return nullptr;
  }
  if (!((*found).*is)()) {
    complain(field, fmt::format("is {}; it must be {}", found->type_name(), wanted));
    return nullptr;
  }
  return &*found;
}

std::string JsonObject::string(std::string_view field) {
  const Json *value = get(field, "a string", &Json::is_string);
  return value ? value->get<std::string>() : std::string();
}

int64_t JsonObject::integer(std::string_view field, int64_t least, int64_t most) {
  const Json *value = get(field, "an integer", &Json::is_number_integer);
  int64_t number = value ? value->get<int64_t>() : 0;
  if (value && value->is_number_unsigned() && value->get<uint64_t>() > static_cast<uint64_t>(INT64_MAX))
    number = INT64_MAX;
  if (value && (number < least || number > most)) {
    complain(field, most == INT64_MAX ? fmt::format("is {}; it must be at least {}", number, least)
                                      : fmt::format("is {}; it must lie within {} and {}", number, least, most));
    return least;
  }
  return number;
}

bool JsonObject::boolean(std::string_view field) {
  const Json *value = get(field, "true or false", &Json::is_boolean);
  return value && value->get<bool>();
}

std::vector<std::string> JsonObject::strings(std::string_view field) {
  std::vector<std::string> list;
  if (const Json *value = get(field, "an array of strings", &Json::is_array))
    for (size_t i = 0; i < value->size(); ++i) {
      if ((*value)[i].is_string())
        list.push_back((*value)[i].get<std::string>());
      else
        complain(fmt::format("{}[{}]", field, i), "must be a string");
    }
  return list;
}

std::vector<int64_t> JsonObject::integers(std::string_view field) {
  std::vector<int64_t> list;
  if (const Json *value = get(field, "an array of integers", &Json::is_array))
    for (size_t i = 0; i < value->size(); ++i) {
      if ((*value)[i].is_number_integer())
        list.push_back((*value)[i].get<int64_t>());
      else
        complain(fmt::format("{}[{}]", field, i), "must be an integer");
    }
  return list;
}

void JsonObject::each_string(std::string_view field,
                             const std::function<void(const std::string &, std::string)> &take) {
  if (const Json *value = get(field, "an object of strings", &Json::is_object))
    for (const auto &[key, text] : value->items()) {
      if (text.is_string())
        take(key, text.get<std::string>());
      else
        complain(fmt::format("{}.{}", field, key), "must be a string");
    }
}

void JsonObject::each_object(std::string_view field, const std::function<void(JsonObject &)> &take) {
  const Json *value = get(field, "an array of objects", &Json::is_array);
  for (size_t i = 0; value && i < value->size(); ++i) {
    JsonObject element((*value)[i], fmt::format("{}{}{}[{}]", path_, path_.empty() ? "" : ".", field, i), wrong_);
    if ((*value)[i].is_object())
      take(element);
  }
}

void JsonObject::object(std::string_view field, const std::function<void(JsonObject &)> &take) {
  const Json *value = get(field, "an object", &Json::is_object);
  if (!value)
    return;
  JsonObject inner(*value, fmt::format("{}{}{}", path_, path_.empty() ? "" : ".", field), wrong_);
  take(inner);
}

} // namespace tegula
