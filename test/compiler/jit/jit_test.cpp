// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The JIT with real kernels: how often it compiles, and that a failed build is told and not kept.
#include <catch2/catch.hpp>

#include <filesystem>
#include <unistd.h>

#include "compiler/jit/jit.h"
#include "test/compiler/jit/scale_kernel.h"

using namespace tegula;

namespace {

KernelSource scale(int *builds = nullptr) {
  return {"scale", "f32", "1024", [builds]() -> Result<dsl::Kernel> {
            if (builds)
              ++*builds;
            return build_scale();
          }};
}

struct TemporaryCache {
  std::filesystem::path path = std::filesystem::temp_directory_path() / ("tegula-jit-test-" + std::to_string(getpid()));
  ~TemporaryCache() { std::filesystem::remove_all(path); }
};

JitOptions in(const TemporaryCache &cache) {
  JitOptions options;
  options.cache_directory = cache.path.string();
  return options;
}

} // namespace

TEST_CASE("launch-06 cache-10 a kernel is compiled once; a second JIT finds it on disk without building it") {
  const TemporaryCache cache;
  int builds = 0;
  Jit first(in(cache));
  const Result<JitKernel> compiled = first.compile(scale(&builds));
  INFO((compiled.ok() ? "" : compiled.error().message()));
  REQUIRE(compiled.ok());
  CHECK(compiled->compiled);
  CHECK(first.compile(scale(&builds)).ok());
  CHECK(first.counts().compiles == 1);
  CHECK(first.counts().memory_hits == 1);
  CHECK(builds == 1);

  Jit second(in(cache));
  const Result<JitKernel> found = second.compile(scale(&builds));
  REQUIRE(found.ok());
  CHECK_FALSE(found->compiled);
  CHECK(builds == 1);
  CHECK(found->manifest == compiled->manifest);
  CHECK(found->ptx == compiled->ptx);
  CHECK(found->cubin == compiled->cubin);
}

TEST_CASE("another schedule or another target is another kernel") {
  const TemporaryCache cache;
  Jit jit(in(cache));
  KernelSource other = scale();
  other.schedule = "2048";
  CHECK(jit.compile(scale()).ok());
  CHECK(jit.compile(other).ok());
  CHECK(jit.counts().compiles == 2);
}

TEST_CASE("a kernel that can't be built tells why, each time") {
  const TemporaryCache cache;
  Jit jit(in(cache));
  const KernelSource broken{"broken", "", "",
                            []() -> Result<dsl::Kernel> { return Error(ErrorCode::bad_argument, "no such tile"); }};
  for (int i = 0; i < 2; ++i) {
    const Result<JitKernel> result = jit.compile(broken);
    REQUIRE_FALSE(result.ok());
    CHECK(result.error().message().find("no such tile") != std::string::npos);
  }
}

TEST_CASE("without an assembler the PTX is kept") {
  const TemporaryCache cache;
  JitOptions options = in(cache);
  options.assemble = false;
  Jit jit(options);
  const Result<JitKernel> kernel = jit.compile(scale());
  REQUIRE(kernel.ok());
  CHECK(kernel->cubin.empty());
  CHECK(kernel->ptx.find(".target sm_90a") != std::string::npos);
}
