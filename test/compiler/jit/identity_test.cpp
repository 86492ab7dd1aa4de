// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who compiles, in words that change with the compiler and the assembler.
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <unistd.h>

#include "compiler/jit/identity.h"

using namespace tegula;

TEST_CASE("the compiler's identity names version, LLVM and a build") {
  const std::string &identity = compiler_identity();
  CHECK(identity.starts_with("tegula " + std::string(compiler_version()) + ", LLVM 22"));
  CHECK(identity.find("build ") != std::string::npos);
  CHECK(identity.find("unknown") == std::string::npos);
}

TEST_CASE("cache-08 another assembler gives another identity") {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("tegula-ptxas-" + std::to_string(getpid()));
  std::ofstream(file) << "#!/bin/sh\n";
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  const std::string first = assembler_identity(file.string());
  std::ofstream(file, std::ios::app) << "exit 0\n";
  CHECK(first.find(file.string()) != std::string::npos);
  CHECK(assembler_identity(file.string()) != first);
  std::filesystem::remove(file);
}
