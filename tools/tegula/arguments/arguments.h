// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of `tegula` as a plain value. Parsed by CLI11, as it knows subcommands and keeps no global state;
// LLVM's own parser would show LLVM's options beside ours and register them for the whole process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tegula {

struct Arguments {
  enum class Command { none, list, compile, inspect, run, bench, tune, cache, doctor };
  Command command = Command::none;
  std::string kernel;             ///< the first word after compile, inspect, run, bench, tune
  std::vector<std::string> words; ///< name=value
  std::string arch;               ///< one, or several with commas between
  std::string emit = "ptx";
  std::string output = ".";
  std::string device;       ///< empty: the default device
  std::string shapes;       ///< a CSV file
  std::string json_file;    ///< bench: where the figures go
  std::string versus;       ///< bench: "cublas"
  std::string schedules;    ///< tune: a file with one schedule a line
  std::string cache_action; ///< path, list, verify, clear
  std::string cache_directory;
  std::string ptxas;
  bool json = false;
  bool check = false;
  int64_t sweep = 0;
  int64_t seed = 1;
  int64_t repetitions = 0; ///< 0: the command's own choice
};

/// What main does next: run the command, or leave with a status after printing `text` (help, version, or an error).
struct ParsedArguments {
  Arguments arguments = {};
  bool leave = false;
  int status = 0;
  std::string text = {};
};

[[nodiscard]] ParsedArguments parse_arguments(int count, const char *const *words, const std::string &version);

} // namespace tegula
