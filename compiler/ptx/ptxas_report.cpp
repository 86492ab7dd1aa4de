// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Line by line; a line that isn't understood is passed over, since each version of ptxas adds some.
#include "compiler/ptx/ptxas_report.h"

#include <charconv>
#include <optional>

namespace tegula {

namespace {

/// The number that stands right before `unit` in the text.
std::optional<int64_t> number_before(std::string_view text, std::string_view unit) {
  size_t end = text.find(unit);
  if (end == std::string_view::npos)
    return std::nullopt;
  size_t begin = end;
  while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9')
    --begin;
  int64_t value = 0;
  if (std::from_chars(text.data() + begin, text.data() + end, value).ec != std::errc())
    return std::nullopt;
  return value;
}

/// What stands between the first two single quotes after `prefix`.
std::optional<std::string_view> quoted_after(std::string_view text, std::string_view prefix) {
  size_t at = text.find(prefix);
  if (at == std::string_view::npos)
    return std::nullopt;
  size_t begin = text.find('\'', at);
  size_t end = begin == std::string_view::npos ? begin : text.find('\'', begin + 1);
  if (end == std::string_view::npos)
    return std::nullopt;
  return text.substr(begin + 1, end - begin - 1);
}

struct Remark {
  std::string text;
  std::string function; // empty: of the whole file
};

/// "ptxas info    : (C7511) Potential Performance Loss: …" or "ptxas warning : …".
std::optional<Remark> read_remark(std::string_view line) {
  size_t colon = line.find(": ");
  if (colon == std::string_view::npos)
    return std::nullopt;
  std::string_view text = line.substr(colon + 2);
  bool warning = line.starts_with("ptxas warning"), coded = text.starts_with("(C");
  if (!warning && !coded)
    return std::nullopt;
  Remark remark;
  if (size_t close = text.find(')'); coded && close != std::string_view::npos) {
    remark.text = std::string(text.substr(1, close - 1)) + ": ";
    text.remove_prefix(std::min(close + 2, text.size()));
  }
  constexpr std::string_view chatter = "Potential Performance Loss: ";
  if (text.starts_with(chatter))
    text.remove_prefix(chatter.size());
  remark.text += text;
  if (auto function = quoted_after(text, "function '"))
    remark.function = *function;
  return remark;
}

bool serializes(std::string_view remark) {
  // C7517 and C7519: a wait or an arrive was put in for one of ours that is missing.
  return remark.find("are serialized") != std::string_view::npos || remark.starts_with("C7517") ||
         remark.starts_with("C7519");
}

EntryReport *find(std::vector<EntryReport> &reports, std::string_view entry) {
  for (EntryReport &report : reports)
    if (report.entry == entry)
      return &report;
  return nullptr;
}

void read_resources(std::string_view line, ResourceReport &report) {
  if (auto bytes = number_before(line, " bytes stack frame"))
    report.stack_bytes = *bytes;
  if (auto bytes = number_before(line, " bytes spill stores"))
    report.spill_store_bytes = *bytes;
  if (auto bytes = number_before(line, " bytes spill loads"))
    report.spill_load_bytes = *bytes;
  if (auto bytes = number_before(line, " bytes smem"))
    report.shared_bytes = *bytes;
  if (auto count = number_before(line, " registers"); count && line.find("Used ") != std::string_view::npos)
    report.registers = static_cast<int>(*count);
}

} // namespace

std::vector<EntryReport> parse_ptxas_report(std::string_view log) {
  std::vector<EntryReport> reports;
  std::vector<Remark> remarks;
  std::string current; // the function that the lines are about
  while (!log.empty()) {
    std::string_view line = log.substr(0, log.find('\n'));
    log.remove_prefix(std::min(line.size() + 1, log.size()));
    if (auto entry = quoted_after(line, "Compiling entry function")) {
      current = *entry;
      reports.push_back({current, {}});
    } else if (size_t at = line.find("Function properties for "); at != std::string_view::npos) {
      current = line.substr(at + std::string_view("Function properties for ").size());
    } else if (auto remark = read_remark(line)) {
      remarks.push_back(std::move(*remark));
    } else if (EntryReport *report = find(reports, current)) {
      read_resources(line, report->resources);
    }
  }
  for (const Remark &remark : remarks)
    for (EntryReport &report : reports)
      if (remark.function.empty() || remark.function == report.entry || !find(reports, remark.function)) {
        report.resources.remarks.push_back(remark.text);
        report.resources.serialized_wgmma |= serializes(remark.text);
      }
  return reports;
}

std::vector<std::string> faults_of(const ResourceReport &report) {
  std::vector<std::string> faults;
  if (report.spill_store_bytes != 0 || report.spill_load_bytes != 0)
    faults.push_back("spills " + std::to_string(report.spill_store_bytes) + " bytes and loads back " +
                     std::to_string(report.spill_load_bytes));
  if (report.stack_bytes != 0)
    faults.push_back("uses " + std::to_string(report.stack_bytes) + " bytes of stack");
  for (const std::string &remark : report.remarks)
    if (remark.starts_with("C75"))
      faults.push_back(remark);
  return faults;
}

} // namespace tegula
