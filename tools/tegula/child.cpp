// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fork and exec of /proc/self/exe with a pipe for its output; wait4 tells the peak memory.
#include "tools/tegula/child.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

extern char **environ;

namespace tegula {

Result<ChildRun> run_self(const std::vector<std::string> &words) {
  std::string self = "/proc/self/exe";
  std::vector<char *> arguments = {self.data()};
  std::vector<std::string> copies = words;
  for (std::string &word : copies)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int ends[2];
  if (pipe(ends) != 0)
    return Error(ErrorCode::io_error, fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  const auto began = std::chrono::steady_clock::now();
  pid_t child = 0;
  const int started = posix_spawn(&child, self.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  ChildRun run;
  char buffer[4096];
  for (ssize_t got = 0; started == 0 && (got = read(ends[0], buffer, sizeof(buffer))) > 0;)
    run.output.append(buffer, static_cast<size_t>(got));
  close(ends[0]);
  if (started != 0)
    return Error(ErrorCode::io_error, fmt::format("cannot start this program again: {}", std::strerror(started)));
  int status = 0;
  rusage usage = {};
  wait4(child, &status, 0, &usage);
  run.wall_us = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - began).count();
  run.peak_bytes = int64_t{usage.ru_maxrss} * 1024;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return Error(ErrorCode::internal,
                 fmt::format("'tegula {}' failed as a child:\n{}", fmt::join(words, " "), run.output));
  return run;
}

} // namespace tegula
