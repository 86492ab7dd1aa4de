// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads shapes, opens devices, compiles in parallel.
#include "tools/tegula/session.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <thread>

#include <fmt/format.h>

#include "runtime/driver/devices.h"
#include "tools/tegula/console.h"

namespace tegula {
namespace {

std::string trimmed(std::string text) {
  const auto blank = [](unsigned char c) { return std::isspace(c) != 0; };
  text.erase(text.begin(), std::find_if_not(text.begin(), text.end(), blank));
  text.erase(std::find_if_not(text.rbegin(), text.rend(), blank).base(), text.end());
  return text;
}

std::vector<std::string> split(const std::string &line, size_t most) {
  std::vector<std::string> cells;
  size_t at = 0;
  while (cells.size() + 1 < most && line.find(',', at) != std::string::npos) {
    const size_t comma = line.find(',', at);
    cells.push_back(trimmed(line.substr(at, comma - at)));
    at = comma + 1;
  }
  cells.push_back(trimmed(line.substr(at)));
  return cells;
}

// "# dtype,m,n,k,layout,note   explanations": names up to the first blank after the list.
std::vector<std::string> column_names(const std::string &comment) {
  std::string names = trimmed(comment.substr(1));
  names.resize(std::min(names.find(' '), names.size()));
  return split(names, ~size_t{0});
}

Result<ShapeLine> read_line(const std::string &text, const std::vector<std::string> &columns, int number,
                            std::span<const Parameter> parameters) {
  const std::vector<std::string> cells = split(text, columns.size());
  if (cells.size() < columns.size() && !(cells.size() + 1 == columns.size() && columns.back() == "note"))
    return Error(ErrorCode::bad_argument, fmt::format("line {} has {} cells; its columns are {}", number, cells.size(),
                                                      fmt::join(columns, ", ")));
  ShapeLine line;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (columns[i] == "note")
      line.note = cells[i];
    else if (std::any_of(parameters.begin(), parameters.end(),
                         [&](const Parameter &p) { return p.name == columns[i]; }))
      line.words.push_back(columns[i] + "=" + cells[i]);
  }
  return line;
}

} // namespace

Jit make_jit(const Arguments &arguments) {
  JitOptions options;
  options.cache_directory = arguments.cache_directory;
  options.ptxas = arguments.ptxas;
  return Jit(std::move(options), print_warning);
}

Result<Context> open_context(const Arguments &arguments) {
  return arguments.device.empty() ? open_device(default_device()) : open_device(arguments.device);
}

Result<std::vector<ShapeLine>> read_shapes(const std::string &path, std::span<const Parameter> parameters) {
  std::ifstream file(path);
  if (!file)
    return Error(ErrorCode::io_error, fmt::format("cannot read the shapes in '{}': {}", path, std::strerror(errno)));
  std::vector<ShapeLine> lines;
  std::vector<std::string> columns;
  std::string text;
  for (int number = 1; std::getline(file, text); ++number) {
    if (text.starts_with("#") && columns.empty())
      columns = column_names(text);
    text = trimmed(text.substr(0, text.find('#')));
    if (text.empty())
      continue;
    if (columns.empty())
      return Error(
          ErrorCode::bad_argument,
          fmt::format("'{}' does not name its columns; begin it with a line such as '# dtype,m,n,k,layout,note'",
                      path));
    Result<ShapeLine> line = read_line(text, columns, number, parameters);
    if (!line)
      return std::move(line).error().while_doing(fmt::format("reading '{}'", path));
    lines.push_back(std::move(*line));
  }
  return lines;
}

Result<std::vector<ParameterValues>> read_cases(const Arguments &arguments, const KernelEntry &kernel) {
  const std::vector<Parameter> &parameters = kernel.parameters();
  std::vector<ParameterValues> cases;
  if (arguments.shapes.empty()) {
    TEGULA_TRY(ParameterValues values, read_parameters(kernel.name, parameters, arguments.words));
    cases.push_back(std::move(values));
    return cases;
  }
  TEGULA_TRY(const std::vector<ShapeLine> lines, read_shapes(arguments.shapes, parameters));
  for (const ShapeLine &line : lines) {
    std::vector<std::string> words = arguments.words;
    words.insert(words.end(), line.words.begin(), line.words.end());
    TEGULA_TRY(ParameterValues values, read_parameters(kernel.name, parameters, words));
    cases.push_back(std::move(values));
  }
  return cases;
}

void compile_ahead(Jit &jit, std::span<const KernelSource> all, std::string_view arch) {
  std::map<std::string, const KernelSource *> distinct;
  for (const KernelSource &source : all)
    distinct.emplace(fmt::format("{}\n{}\n{}", source.kernel, source.identity, source.schedule), &source);
  std::vector<const KernelSource *> sources;
  for (const auto &[key, source] : distinct)
    sources.push_back(source);
  Progress progress("compiling", static_cast<int64_t>(sources.size()));
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < sources.size(); i = next++) {
      (void)jit.compile(*sources[i], arch);
      progress.step();
    }
  };
  std::vector<std::jthread> threads;
  const size_t workers = std::min<size_t>(sources.size(), std::max(1u, std::thread::hardware_concurrency()));
  for (size_t i = 1; i < workers; ++i)
    threads.emplace_back(work);
  work();
}

void compile_ahead(Jit &jit, const KernelEntry &kernel, std::span<const ParameterValues> cases, std::string_view arch) {
  std::vector<KernelSource> sources;
  for (const ParameterValues &values : cases)
    if (Result<std::vector<KernelPart>> parts = kernel.parts(values, arch))
      for (KernelPart &part : *parts)
        sources.push_back(std::move(part.source));
  compile_ahead(jit, sources, arch);
}

} // namespace tegula
