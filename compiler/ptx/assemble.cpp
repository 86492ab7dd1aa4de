// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs ptxas on temporary files, and explains its errors by the lines of PTX that they point at.
#include "compiler/ptx/assemble.h"

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "runtime/toolkit/child_process.h"

namespace tegula {

namespace {

namespace fs = std::filesystem;

/// A directory of our own that goes when the scope ends.
class TemporaryDirectory {
public:
  static Result<TemporaryDirectory> create() {
    std::error_code error;
    fs::path root = fs::temp_directory_path(error);
    std::string name = ((error ? fs::path("/tmp") : root) / "tegula-ptx-XXXXXX").string();
    if (!mkdtemp(name.data()))
      return Error(ErrorCode::io_error, "no temporary directory can be made as " + name);
    return TemporaryDirectory(name);
  }
  TemporaryDirectory(TemporaryDirectory &&other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  TemporaryDirectory &operator=(TemporaryDirectory &&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    if (!path_.empty())
      fs::remove_all(path_, ignored);
  }
  [[nodiscard]] const fs::path &path() const { return path_; }

private:
  explicit TemporaryDirectory(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
};

Result<void> write_file(const fs::path &path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file)
    return Error(ErrorCode::io_error, "cannot write " + path.string());
  return {};
}

Result<std::vector<std::byte>> read_file(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file.is_open() || bytes.empty())
    return Error(ErrorCode::io_error, "ptxas left no output in " + path.string());
  auto *begin = reinterpret_cast<const std::byte *>(bytes.data());
  return std::vector<std::byte>(begin, begin + bytes.size());
}

std::string_view line_of(std::string_view text, int number) {
  while (--number > 0 && !text.empty())
    text.remove_prefix(std::min(text.find('\n') + 1, text.size()));
  return text.substr(0, text.find('\n'));
}

/// ptxas's errors without its prefixes, the first few, each with the PTX that it points at.
std::string explain(std::string_view log, std::string_view ptx) {
  std::string text;
  int shown = 0;
  while (!log.empty() && shown < 5) {
    std::string_view line = log.substr(0, log.find('\n'));
    log.remove_prefix(std::min(line.size() + 1, log.size()));
    bool error = line.find("error") != std::string_view::npos || line.find("fatal") != std::string_view::npos;
    if (!error || line.find("aborted due to errors") != std::string_view::npos)
      continue;
    size_t colon = line.find(": ");
    text += (text.empty() ? "" : "\n") + std::string(colon == std::string_view::npos ? line : line.substr(colon + 2));
    size_t at = line.find("line ");
    int number = 0;
    if (at != std::string_view::npos &&
        std::from_chars(line.data() + at + 5, line.data() + line.size(), number).ec == std::errc())
      text += "\n  PTX line " + std::to_string(number) + ": " + std::string(line_of(ptx, number)).substr(0, 200);
    ++shown;
  }
  return text.empty() ? "no message" : text;
}

// C7602: the accumulators don't fit the registers that the launch bounds leave. The author's schedule, not our text.
bool is_too_large(std::string_view log) {
  return log.find("C7602") != std::string_view::npos || log.find("too much shared data") != std::string_view::npos;
}

} // namespace

ResourceReport Assembled::resources(std::string_view entry) const {
  for (const EntryReport &report : reports)
    if (report.entry == entry)
      return report.resources;
  return {};
}

std::string Assembled::assembler_name() const {
  return assembler ? "ptxas " + to_string(assembler->version) + " " + assembler->build : "driver";
}

Result<Assembled> assemble(std::string_view ptx, const AssembleOptions &options) {
  Assembled result;
  if (!options.use_ptxas) {
    result.note = "no cubin: the driver is to compile the PTX, as asked";
    return result;
  }
  Result<Tool> tool = find_ptxas(options.arch, options.toolkit);
  if (!tool) {
    result.note = "no cubin: " + tool.error().message() + "; the driver compiles the PTX when it is loaded";
    return result;
  }
  TEGULA_TRY(TemporaryDirectory directory, TemporaryDirectory::create());
  fs::path input = directory.path() / "kernel.ptx", output = directory.path() / "kernel.cubin";
  TEGULA_CHECK(write_file(input, ptx));
  const std::string command[] = {tool->path.string(), "-arch=" + options.arch, "-v", "-o",
                                 output.string(),     input.string()};
  TEGULA_TRY(ChildResult child, run_child(command));
  result.log = child.out + child.err;
  if (!child.ok())
    return Error(is_too_large(result.log) ? ErrorCode::unsupported : ErrorCode::internal,
                 "ptxas " + to_string(tool->version) + " refuses the kernel for " + options.arch + ": " +
                     explain(result.log, ptx));
  TEGULA_TRY(result.cubin, read_file(output));
  result.reports = parse_ptxas_report(result.log);
  result.assembler = std::move(*tool);
  return result;
}

} // namespace tegula
