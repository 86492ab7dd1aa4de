// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declares the subcommands and their options; turns CLI11's exceptions into a status and a text.
#include "tools/tegula/arguments/arguments.h"

#include <algorithm>
#include <iterator>
#include <sstream>

#include <CLI/CLI.hpp>

#include "kernels/naming/near_miss.h"

namespace tegula {
namespace {

using Command = Arguments::Command;

constexpr std::string_view kUsage =
    "Tile kernels for NVIDIA GPUs: compile, look at, run, measure.\n"
    "Kernels' parameters are name=value words, as in: tegula run gemm m=4096 n=4096 k=4096 layout=nt --check";

CLI::App *subcommand(CLI::App &app, Arguments &arguments, const std::string &name, Command command,
                     const std::string &help) {
  CLI::App *sub = app.add_subcommand(name, help);
  sub->callback([&arguments, command] { arguments.command = command; });
  return sub;
}

void add_kernel(CLI::App *sub, Arguments &arguments) {
  sub->add_option("kernel", arguments.kernel, "its name; `tegula list` shows all")->required();
  sub->add_option("parameters", arguments.words, "name=value; those of the kernel");
}

void add_compiling(CLI::App *sub, Arguments &arguments) {
  sub->add_option("--cache", arguments.cache_directory, "folder of the kernel cache");
  sub->add_option("--ptxas", arguments.ptxas, "the assembler to use");
}

void add_device(CLI::App *sub, Arguments &arguments) {
  sub->add_option("--device", arguments.device, "cuda:0, emulator:sm_90a; the first GPU where there is one");
}

void add_looking(CLI::App &app, Arguments &arguments) {
  CLI::App *list = subcommand(app, arguments, "list", Command::list, "kernels, their parameters, targets");
  list->add_flag("--json", arguments.json, "as JSON");
  CLI::App *doctor =
      subcommand(app, arguments, "doctor", Command::doctor, "what was found: driver, toolkit, GPU, cache, versions");
  doctor->add_flag("--json", arguments.json, "as JSON");
  add_compiling(doctor, arguments);
  CLI::App *cache = subcommand(app, arguments, "cache", Command::cache, "the kernel cache on disk");
  cache->add_option("action", arguments.cache_action, "path, list, verify or clear")
      ->required()
      ->check(CLI::IsMember({"path", "list", "verify", "clear"}));
  cache->add_option("--cache", arguments.cache_directory, "its folder; else as the environment says");
  cache->add_flag("--json", arguments.json, "as JSON");
}

void add_building(CLI::App &app, Arguments &arguments) {
  CLI::App *compile =
      subcommand(app, arguments, "compile", Command::compile, "write PTX, cubin, manifest and C++ header of a kernel");
  add_kernel(compile, arguments);
  compile->add_option("--arch", arguments.arch, "architectures, as sm_90a,sm_100a");
  compile->add_option("-o,--output", arguments.output, "folder to write to")->capture_default_str();
  compile->add_flag("--json", arguments.json, "print what was written as JSON");
  add_compiling(compile, arguments);
  CLI::App *inspect =
      subcommand(app, arguments, "inspect", Command::inspect, "show a kernel at a stage of its lowering");
  add_kernel(inspect, arguments);
  inspect->add_option("--arch", arguments.arch, "architecture, as sm_90a");
  inspect->add_option("--emit", arguments.emit, "the stage")
      ->capture_default_str()
      ->check(CLI::IsMember({"tile", "warp", "nv", "llvm", "ptx", "sass", "resources"}));
  inspect->add_flag("--json", arguments.json, "resources as JSON");
  add_compiling(inspect, arguments);
}

void add_running(CLI::App &app, Arguments &arguments) {
  CLI::App *run = subcommand(app, arguments, "run", Command::run, "run a kernel and compare it with a reference");
  add_kernel(run, arguments);
  add_device(run, arguments);
  run->add_flag("--check", arguments.check, "compare with a float64 reference on the CPU");
  run->add_option("--shapes", arguments.shapes, "run each line of a CSV file");
  run->add_option("--sweep", arguments.sweep, "run so many random cases")->check(CLI::NonNegativeNumber);
  run->add_option("--seed", arguments.seed, "of the sweep")->capture_default_str();
  run->add_flag("--json", arguments.json, "a JSON object a run");
  add_compiling(run, arguments);
  CLI::App *bench =
      subcommand(app, arguments, "bench", Command::bench, "measure a kernel (gemm), or the host's costs (host)");
  add_kernel(bench, arguments);
  add_device(bench, arguments);
  bench->add_option("--shapes", arguments.shapes, "measure each line of a CSV file");
  bench->add_option("--json", arguments.json_file,
                    "write the figures there, as a JSON array in the order of the shapes");
  bench->add_option("--vs", arguments.versus, "measure a peer as well, in the same run")
      ->check(CLI::IsMember({"cublas"}));
  bench->add_option("--reps", arguments.repetitions, "timings a figure is the median of")->check(CLI::PositiveNumber);
  add_compiling(bench, arguments);
  CLI::App *tune = subcommand(app, arguments, "tune", Command::tune, "time schedules side by side, to fill the table");
  tune->group(""); // for those who work on Tegula
  add_kernel(tune, arguments);
  add_device(tune, arguments);
  tune->add_option("--shapes", arguments.shapes, "time each line of a CSV file");
  tune->add_option("--schedules", arguments.schedules, "a schedule a line; else the table's best candidates");
  tune->add_option("--reps", arguments.repetitions, "rounds over all schedules")->check(CLI::PositiveNumber);
  tune->add_option("--json", arguments.json_file, "write all figures there");
  add_compiling(tune, arguments);
}

constexpr std::string_view kCommands[] = {"list", "compile", "inspect", "run", "bench", "cache", "doctor", "tune"};

// "" unless the first word is meant as a command and is none.
std::string unknown_command(int count, const char *const *words) {
  const std::string_view word = count > 1 ? words[1] : "-";
  if (word.starts_with("-") || std::find(std::begin(kCommands), std::end(kCommands), word) != std::end(kCommands))
    return "";
  return "unknown command '" + std::string(word) + "'" + near_miss(word, kCommands);
}

// CLI11 says only that a word was not expected; this finds the option that was meant.
std::string meant(const CLI::App &app, std::string_view message) {
  const size_t colon = message.rfind(": ");
  if (colon == std::string_view::npos || !message.substr(colon + 2).starts_with("-"))
    return "";
  const std::string_view word = message.substr(colon + 2);
  std::vector<std::string> held;
  for (const CLI::App *sub : app.get_subcommands({}))
    if (sub->parsed())
      for (const CLI::Option *option : sub->get_options())
        held.push_back("--" + (option->get_lnames().empty() ? "" : option->get_lnames().front()));
  const std::vector<std::string_view> known(held.begin(), held.end());
  return near_miss(word, known);
}

} // namespace

ParsedArguments parse_arguments(int count, const char *const *words, const std::string &version) {
  ParsedArguments parsed;
  if (const std::string unknown = unknown_command(count, words); !unknown.empty())
    return {
        .leave = true, .status = 2, .text = "tegula: error: " + unknown + "; `tegula --help` shows what there is\n"};
  CLI::App app{std::string(kUsage), "tegula"};
  app.set_version_flag("--version", version);
  app.require_subcommand(1);
  add_looking(app, parsed.arguments);
  add_building(app, parsed.arguments);
  add_running(app, parsed.arguments);
  try {
    app.parse(count, words);
  } catch (const CLI::ParseError &error) {
    std::ostringstream out, errors;
    parsed.leave = true;
    if (error.get_exit_code() == 0) { // help or version
      (void)app.exit(error, out, errors);
      parsed.text = out.str();
      return parsed;
    }
    parsed.status = 2;
    std::string message = error.what();
    if (const size_t line = message.find('\n'); line != std::string::npos)
      message.resize(line);
    parsed.text = "tegula: error: " + message + meant(app, message) + "; `tegula --help` shows what there is\n";
  }
  return parsed;
}

} // namespace tegula
