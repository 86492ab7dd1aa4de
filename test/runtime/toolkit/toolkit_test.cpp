// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which ptxas is taken, with scripts that stand for assemblers of some age.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>
#include <unistd.h>

#include "runtime/toolkit/nvrtc.h"
#include "runtime/toolkit/toolkit.h"

namespace tegula {
namespace {

namespace fs = std::filesystem;

struct Tools {
  Tools() : folder(fs::temp_directory_path() / ("tegula_tools_" + std::to_string(getpid()))) {
    fs::remove_all(folder);
    path = std::getenv("PATH");
    unsetenv("TEGULA_PTXAS");
    unsetenv("CUDA_HOME");
    setenv("PATH", (folder / "first").c_str(), 1);
  }
  ~Tools() {
    fs::remove_all(folder);
    setenv("PATH", path.c_str(), 1);
    unsetenv("TEGULA_PTXAS");
    unsetenv("CUDA_HOME");
  }
  fs::path make(const std::string &place, const std::string &body) {
    fs::path file = folder / place;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << "#!/bin/sh\n" << body << "\n";
    fs::permissions(file, fs::perms::owner_all);
    return file;
  }
  fs::path make_ptxas(const std::string &place, const std::string &version) {
    return make(place, "echo 'ptxas: NVIDIA (R) Ptx optimizing assembler'; echo 'Cuda compilation tools, release " +
                           version + ", V" + version + ".88'");
  }
  fs::path folder;
  std::string path;
};

TEST_CASE("toolkit: versions are read from what the tools print") {
  auto read = read_version("Cuda compilation tools, release 13.0, V13.0.88\nBuild cuda_13.0.r13.0/compiler\n");
  REQUIRE(read);
  CHECK(read->version == ToolkitVersion{13, 0});
  CHECK(read->build == "V13.0.88");
  CHECK_FALSE(read_version("no version"));
  CHECK_FALSE(read_version("release x"));
}

TEST_CASE_METHOD(Tools, "toolkit: the option comes before TEGULA_PTXAS, that before PATH, that before CUDA_HOME") {
  make_ptxas("home/bin/ptxas", "12.1");
  setenv("CUDA_HOME", (folder / "home").c_str(), 1);
  CHECK(find_ptxas()->found_by == "CUDA_HOME");
  make_ptxas("first/ptxas", "12.2");
  CHECK(find_ptxas()->found_by == "PATH");
  setenv("TEGULA_PTXAS", make_ptxas("named", "12.3").c_str(), 1);
  auto tool = find_ptxas();
  CHECK(tool->found_by == "TEGULA_PTXAS");
  CHECK(tool->version == ToolkitVersion{12, 3});
  CHECK(tool->build == "V12.3.88");
  CHECK(find_ptxas({}, {.ptxas = make_ptxas("option", "12.4")})->found_by == "--ptxas");
}

TEST_CASE_METHOD(Tools, "aot-05: an assembler older than the target is passed over for the next") {
  make_ptxas("first/ptxas", "12.6");
  make_ptxas("home/bin/ptxas", "12.8");
  setenv("CUDA_HOME", (folder / "home").c_str(), 1);
  CHECK(find_ptxas("sm_90a")->version == ToolkitVersion{12, 6});
  CHECK(find_ptxas("sm_100a")->version == ToolkitVersion{12, 8});
}

TEST_CASE_METHOD(Tools,
                 "aot-05: where none is new enough, each is named with its version, the one needed, the variable") {
  fs::path first = make_ptxas("first/ptxas", "11.8");
  // Whatever this machine has in /usr/local/cuda knows no architecture of the year 2099.
  auto tool = find_ptxas("sm_90a");
  if (tool)
    CHECK(tool->found_by == "/usr/local/cuda");
  else
    CHECK(tool.error().message() == "no ptxas that will do; set TEGULA_PTXAS to one:\n  - " + first.string() +
                                        " (by PATH) is of CUDA 11.8; sm_90a needs 12.0");
}

TEST_CASE_METHOD(Tools, "toolkit: one that doesn't run is passed over") {
  make("first/ptxas", "exit 1");
  make_ptxas("home/bin/ptxas", "12.8");
  setenv("CUDA_HOME", (folder / "home").c_str(), 1);
  CHECK(find_ptxas()->found_by == "CUDA_HOME");
}

TEST_CASE_METHOD(Tools, "toolkit: one that is named must be there") {
  setenv("TEGULA_PTXAS", "/nowhere/ptxas", 1);
  CHECK(find_ptxas().error().message() == "no ptxas at /nowhere/ptxas, which TEGULA_PTXAS names");
  CHECK(find_ptxas({}, {.ptxas = "/no/ptxas"}).error().message() == "no ptxas at /no/ptxas, which the option names");
}

TEST_CASE_METHOD(Tools, "toolkit: disassemblers are found likewise") {
  make_ptxas("first/nvdisasm_of_ours", "13.0");
  CHECK(find_tool("nvdisasm_of_ours")->version == ToolkitVersion{13, 0});
  CHECK(find_tool("no_such_tool").error().message() ==
        "no no_such_tool: neither PATH nor CUDA_HOME or /usr/local/cuda has one that runs");
}

TEST_CASE("toolkit: what each architecture needs") {
  CHECK(toolkit_needed("sm_90a") == ToolkitVersion{12, 0});
  CHECK(toolkit_needed("sm_100a") == ToolkitVersion{12, 8});
  CHECK(toolkit_needed("sm_100f") == ToolkitVersion{12, 9});
  CHECK_FALSE(toolkit_needed("sm_80"));
}

TEST_CASE("nvrtc: where there is one it compiles, and a fault comes with its log") {
  auto nvrtc = Nvrtc::open();
  if (!nvrtc) {
    WARN("skipped, no NVRTC here: " << nvrtc.error().message());
    return;
  }
  auto ptx = nvrtc->compile_to_ptx("extern \"C\" __device__ float twice(float x) { return x + x; }", "sm_90a",
                                   std::vector<std::string>{"--relocatable-device-code=true"});
  REQUIRE(ptx);
  CHECK(ptx->find(".target sm_90a") != std::string::npos);
  auto refused = nvrtc->compile_to_ptx("__device__ flot f();", "sm_90a");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message().find("flot") != std::string::npos);
}

} // namespace
} // namespace tegula
