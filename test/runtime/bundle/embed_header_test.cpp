// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An embedded kernel loads and launches with typed arguments, from its header and the runtime alone.
#include "gemm.h"

#include "runtime/bundle/embed_header.h"
#include "test/runtime/fake_driver/open_fake.h"
#include "test/runtime/launch/gemm_manifest.h"

namespace tegula {
namespace {

namespace gemm = tegula_kernels::gemm_sm_90a;

TEST_CASE("embed: the header's kernel launches with its arguments") {
  fake::open_driver();
  Context context = fake::open_context();
  auto launcher = gemm::Launcher::load(context);
  REQUIRE(launcher);
  auto memory = DeviceBuffer::allocate(context, 1 << 20);
  const DevicePtr at = memory->address();
  gemm::Arguments arguments{.A = at, .B = at, .C = {at, {400, 1}}, .M = 256, .N = 384, .K = 64, .alpha = 0.5f};
  REQUIRE(launcher->launch(arguments));
  const fake::Launch &launch = fake::state().launches.back();
  CHECK(launch.grid == 6);
  CHECK(launch.param<int64_t>(3) == 400);
  CHECK(launch.param<float>(7) == 0.5f);
}

TEST_CASE("embed: the manifest in the header is the kernel's") {
  CHECK(*parse_manifest(gemm::kManifest) == gemm_manifest());
}

TEST_CASE("embed: names that C++ can't have are changed") {
  KernelManifest manifest = gemm_manifest();
  manifest.kernel = "my kernel-2";
  manifest.params.back().name = "class";
  std::string text = embed_header(manifest, std::as_bytes(std::span(kGemmPtx)));
  CHECK(text.find("namespace tegula_kernels::my_kernel_2_sm_90a {") != std::string::npos);
  CHECK(text.find("float k_class = {};") != std::string::npos);
  CHECK(text.find("{\"class\", arguments.k_class}") != std::string::npos);
}

} // namespace
} // namespace tegula
