// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Children: what they print, how they end, and that they are not waited for without end.
#include <catch2/catch.hpp>

#include "runtime/toolkit/child_process.h"

namespace tegula {
namespace {

Result<ChildResult> shell(const std::string &script, std::chrono::milliseconds patience = std::chrono::seconds(20)) {
  std::string command[] = {"/bin/sh", "-c", script};
  return run_child(command, patience);
}

TEST_CASE("child: both outputs and the status are captured") {
  auto result = shell("echo out; echo err >&2; exit 3");
  REQUIRE(result);
  CHECK(result->out == "out\n");
  CHECK(result->err == "err\n");
  CHECK(result->exit_status == 3);
  CHECK_FALSE(result->ok());
}

TEST_CASE("child: more output than a pipe holds, on both, doesn't block") {
  auto result = shell("head -c 300000 /dev/zero >&2; head -c 300000 /dev/zero");
  REQUIRE(result);
  CHECK(result->out.size() == 300000);
  CHECK(result->err.size() == 300000);
}

TEST_CASE("child: a signal is told apart from a status") {
  auto result = shell("kill -9 $$");
  REQUIRE(result);
  CHECK(result->signal == 9);
  CHECK(result->exit_status == -1);
}

TEST_CASE("child: arguments pass unchanged, without a shell") {
  std::string command[] = {"/bin/echo", "a b", "$HOME", "\"x\"; ls"};
  CHECK(run_child(command)->out == "a b $HOME \"x\"; ls\n");
}

TEST_CASE("child: one that doesn't end is killed") {
  auto result = shell("sleep 30", std::chrono::milliseconds(100));
  REQUIRE_FALSE(result);
  CHECK(result.error().message() == "/bin/sh was killed after 100 ms without an end");
}

TEST_CASE("child: a program that isn't there is named") {
  std::string command[] = {"/nowhere/ptxas"};
  auto result = run_child(command);
  REQUIRE_FALSE(result);
  CHECK(result.error().code() == ErrorCode::not_found);
  CHECK(result.error().message() == "cannot run /nowhere/ptxas: No such file or directory");
}

} // namespace
} // namespace tegula
