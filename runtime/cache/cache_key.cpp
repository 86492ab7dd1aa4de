// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keys: the parts sorted by name, their encoding, its digest.
#include "runtime/cache/cache_key.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "runtime/cache/little_endian.h"
#include "runtime/result/complaints.h"

namespace tegula {
namespace {

constexpr std::string_view kRequired[] = {"kernel", "schedule", "target", "compiler", "assembler"};
constexpr uint64_t kMaxPartBytes = std::numeric_limits<uint32_t>::max();

void check_required(std::span<const KeyPart> parts, Complaints &wrong) {
  for (std::string_view name : kRequired) {
    auto part = std::ranges::find(parts, name, &KeyPart::name);
    if (part == parts.end())
      wrong.add(fmt::format("part '{}' is missing", name));
    else if (part->value.empty() && name != "schedule")
      wrong.add(fmt::format("part '{}' is empty; it must say what the code was made from", name));
  }
}

void check_each(std::span<const KeyPart> sorted, Complaints &wrong) {
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i].name.empty())
      wrong.add(fmt::format("the part with value '{:.40}' has no name", sorted[i].value));
    if (i > 0 && sorted[i].name == sorted[i - 1].name)
      wrong.add(fmt::format("part '{}' is given twice", sorted[i].name));
    if (sorted[i].name.size() > kMaxPartBytes || sorted[i].value.size() > kMaxPartBytes)
      wrong.add(
          fmt::format("part '{:.40}' has {} bytes; at most {}", sorted[i].name, sorted[i].value.size(), kMaxPartBytes));
  }
}

/// Reads one length and the text behind it, or nothing if the bytes end before.
std::optional<std::string_view> take_text(std::string_view &rest) {
  if (rest.size() < 4)
    return std::nullopt;
  size_t length = number_at<uint32_t>(rest, 0);
  if (rest.size() - 4 < length)
    return std::nullopt;
  std::string_view text = rest.substr(4, length);
  rest.remove_prefix(4 + length);
  return text;
}

} // namespace

CacheKey::CacheKey(std::vector<KeyPart> parts)
    : parts_(std::make_shared<const std::vector<KeyPart>>(std::move(parts))),
      digest_(digest_of(encode_parts(*parts_))) {}

Result<CacheKey> CacheKey::of(std::vector<KeyPart> parts) {
  std::ranges::sort(parts, {}, &KeyPart::name);
  Complaints wrong;
  check_required(parts, wrong);
  check_each(parts, wrong);
  TEGULA_CHECK(wrong.verdict("cannot make a key for the kernel cache"));
  return CacheKey(std::move(parts));
}

std::string encode_parts(std::span<const KeyPart> parts) {
  std::string bytes;
  append_number(bytes, static_cast<uint32_t>(parts.size()));
  for (const KeyPart &part : parts)
    for (const std::string *text : {&part.name, &part.value}) {
      append_number(bytes, static_cast<uint32_t>(text->size()));
      bytes += *text;
    }
  return bytes;
}

Result<std::vector<KeyPart>> decode_parts(std::string_view bytes) {
  if (bytes.size() < 4)
    return Error(ErrorCode::io_error, "the key's parts are cut short");
  uint32_t count = number_at<uint32_t>(bytes, 0);
  std::string_view rest = bytes.substr(4);
  std::vector<KeyPart> parts;
  for (uint32_t i = 0; i < count; ++i) {
    std::optional<std::string_view> name = take_text(rest);
    std::optional<std::string_view> value = name ? take_text(rest) : std::nullopt;
    if (!value)
      return Error(ErrorCode::io_error, fmt::format("the key's parts are cut short at part {} of {}", i + 1, count));
    parts.push_back({std::string(*name), std::string(*value)});
  }
  if (!rest.empty())
    return Error(ErrorCode::io_error, fmt::format("{} bytes too many behind the key's parts", rest.size()));
  return parts;
}

} // namespace tegula
