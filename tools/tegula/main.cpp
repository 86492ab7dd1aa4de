// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tegula: from the command line to its subcommand. Exit status 0 on success, 1 on a failed check or work that could not
// be done, 2 on bad usage.
#include <cstdio>

#include "tools/tegula/commands.h"
#include "tools/tegula/console.h"

using namespace tegula;

namespace {

Result<int> dispatch(const Arguments &arguments) {
  switch (arguments.command) {
  case Arguments::Command::list: return run_list(arguments);
  case Arguments::Command::compile: return run_compile(arguments);
  case Arguments::Command::inspect: return run_inspect(arguments);
  case Arguments::Command::run: return run_run(arguments);
  case Arguments::Command::bench: return run_bench(arguments);
  case Arguments::Command::tune: return run_tune(arguments);
  case Arguments::Command::cache: return run_cache(arguments);
  case Arguments::Command::doctor: return run_doctor(arguments);
  case Arguments::Command::none: break;
  }
  return 2;
}

} // namespace

int main(int count, char **words) {
  const ParsedArguments parsed = parse_arguments(count, words, version_text());
  if (parsed.leave) {
    std::fputs(parsed.text.c_str(), parsed.status == 0 ? stdout : stderr);
    return parsed.status;
  }
  const Result<int> status = dispatch(parsed.arguments);
  if (status)
    return *status;
  print_error(status.error());
  return exit_status(status.error());
}
