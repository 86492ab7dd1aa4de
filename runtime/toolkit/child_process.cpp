// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// posix_spawn with two pipes, read until both close.
#include "runtime/toolkit/child_process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace tegula {
namespace {

using Clock = std::chrono::steady_clock;

class Pipe {
public:
  // Closed on exec, so that a child started by another thread meanwhile doesn't hold our ends open.
  Pipe() { valid_ = pipe2(ends_, O_CLOEXEC) == 0; }
  ~Pipe() {
    close_reader();
    close_writer();
  }
  Pipe(const Pipe &) = delete;
  Pipe &operator=(const Pipe &) = delete;

  [[nodiscard]] bool valid() const { return valid_; }
  [[nodiscard]] int reader() const { return ends_[0]; }
  [[nodiscard]] int writer() const { return ends_[1]; }
  void close_reader() { shut(ends_[0]); }
  void close_writer() { shut(ends_[1]); }

private:
  static void shut(int &end) {
    if (end >= 0)
      close(end);
    end = -1;
  }
  int ends_[2] = {-1, -1};
  bool valid_ = false;
};

// One read; false at the end of the stream.
bool take(int from, std::string &text) {
  char buffer[16384];
  ssize_t got = read(from, buffer, sizeof buffer);
  if (got > 0)
    text.append(buffer, static_cast<size_t>(got));
  return got > 0 || (got < 0 && errno == EINTR);
}

// Reads both until they close; false when time runs out first.
bool drain(Pipe &out, Pipe &err, ChildResult &result, Clock::time_point end) {
  while (out.reader() >= 0 || err.reader() >= 0) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0)
      return false;
    // poll passes over descriptors of -1.
    std::array<pollfd, 2> waiting{pollfd{out.reader(), POLLIN, 0}, pollfd{err.reader(), POLLIN, 0}};
    int ready = poll(waiting.data(), waiting.size(), static_cast<int>(std::min<int64_t>(left, 1 << 30)));
    if (ready < 0 && errno != EINTR)
      return true;
    if (ready <= 0)
      continue;
    if (waiting[0].revents && !take(out.reader(), result.out))
      out.close_reader();
    if (waiting[1].revents && !take(err.reader(), result.err))
      err.close_reader();
  }
  return true;
}

int spawn(std::span<const std::string> command, const Pipe &out, const Pipe &err, pid_t &child) {
  std::vector<char *> argv;
  for (const std::string &argument : command)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.writer(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.writer(), STDERR_FILENO);
  int failed = posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return failed;
}

} // namespace

Result<ChildResult> run_child(std::span<const std::string> command, std::chrono::milliseconds patience) {
  if (command.empty())
    return Error(ErrorCode::bad_argument, "there is no program to run");
  Pipe out;
  Pipe err;
  if (!out.valid() || !err.valid())
    return Error(ErrorCode::io_error, fmt::format("cannot run {}: pipe: {}", command[0], std::strerror(errno)));
  pid_t child = -1;
  if (int failed = spawn(command, out, err, child))
    return Error(ErrorCode::not_found, fmt::format("cannot run {}: {}", command[0], std::strerror(failed)));
  out.close_writer();
  err.close_writer();
  ChildResult result;
  const bool ended = drain(out, err, result, Clock::now() + patience);
  if (!ended)
    kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!ended)
    return Error(ErrorCode::io_error,
                 fmt::format("{} was killed after {} ms without an end", command[0], patience.count()));
  result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  result.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

} // namespace tegula
