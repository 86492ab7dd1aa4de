// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a PTX text says of itself, and which drivers read it.
#include <algorithm>
#include <array>
#include <charconv>

#include "runtime/driver/module.h"

namespace tegula {
namespace {

// The directive's operands, up to the end of the line. Comments before the directives are passed over.
std::optional<std::string_view> operands(std::string_view ptx, std::string_view directive) {
  while (!ptx.empty()) {
    size_t end = std::min(ptx.find('\n'), ptx.size());
    std::string_view line = ptx.substr(0, end);
    ptx.remove_prefix(std::min(end + 1, ptx.size()));
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (!line.starts_with(directive))
      continue;
    line.remove_prefix(directive.size());
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    return line.substr(0, line.find_first_of(" \t\r,;/"));
  }
  return std::nullopt;
}

struct Release {
  int cuda;
  int ptx_major, ptx_minor;
};

// PTX ISA, release notes: the PTX that came with each CUDA.
constexpr std::array kReleases = {
    Release{12000, 8, 0}, Release{12010, 8, 1}, Release{12020, 8, 2}, Release{12030, 8, 3},
    Release{12040, 8, 4}, Release{12050, 8, 5}, Release{12060, 8, 5}, Release{12070, 8, 6},
    Release{12080, 8, 7}, Release{12090, 8, 8}, Release{13000, 9, 0}, Release{13010, 9, 1},
};

} // namespace

std::optional<PtxHeader> read_ptx_header(std::string_view ptx) {
  auto version = operands(ptx, ".version");
  auto target = operands(ptx, ".target");
  if (!version || !target)
    return std::nullopt;
  PtxHeader header;
  header.target = *target;
  const char *end = version->data() + version->size();
  auto [point, error] = std::from_chars(version->data(), end, header.version_major);
  if (error != std::errc() || point == end || *point != '.')
    return std::nullopt;
  if (std::from_chars(point + 1, end, header.version_minor).ec != std::errc())
    return std::nullopt;
  return header;
}

std::optional<int> count_ptx_params(std::string_view ptx, std::string_view entry) {
  constexpr std::string_view kEntry = ".entry";
  for (size_t at = ptx.find(kEntry); at != std::string_view::npos; at = ptx.find(kEntry, at + 1)) {
    std::string_view rest = ptx.substr(at + kEntry.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t\n\r"), rest.size()));
    if (!rest.starts_with(entry))
      continue;
    rest.remove_prefix(entry.size());
    const size_t open = rest.find_first_not_of(" \t\n\r");
    if (open == std::string_view::npos)
      return std::nullopt;
    if (rest[open] != '(') {
      if (rest[open] == '{' || rest[open] == '.')
        return 0; // no list at all
      continue;   // a longer name
    }
    std::string_view list = rest.substr(open, rest.find(')') - open);
    int count = 0;
    for (size_t p = list.find(".param"); p != std::string_view::npos; p = list.find(".param", p + 1))
      ++count;
    return count;
  }
  return std::nullopt;
}

std::optional<std::pair<int, int>> newest_ptx(int cuda_version) {
  for (const Release &release : kReleases)
    if (release.cuda == cuda_version)
      return std::pair(release.ptx_major, release.ptx_minor);
  return std::nullopt;
}

} // namespace tegula
