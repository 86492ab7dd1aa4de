// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is checked once, when a kernel is loaded.
#include "test/runtime/launch/gemm_fixture.h"

namespace tegula {
namespace {

std::string refusal(const std::function<void(KernelManifest &)> &change, ErrorCode code,
                    const std::string &ptx = kGemmPtx) {
  Context context = fake::open_context();
  KernelManifest manifest = gemm_manifest();
  change(manifest);
  auto kernel = Kernel::load(context, std::move(manifest), fake::bytes_of(ptx));
  REQUIRE_FALSE(kernel);
  CHECK(kernel.error().code() == code);
  return kernel.error().message();
}

const std::string kCannotLoad = "cannot load 'gemm': ";

TEST_CASE("load: shared memory is allowed, small clusters ask for nothing more") {
  fake::open_driver();
  Context context = fake::open_context();
  load_gemm(context);
  CHECK(fake::state().attributes["allowed_shared"] == 200000);
  CHECK_FALSE(fake::state().attributes.contains("non_portable"));
  load_gemm(context, [](KernelManifest &m) { m.cluster = {16, 1, 1}; });
  CHECK(fake::state().attributes["non_portable"] == 1);
}

TEST_CASE("aot-01: a kernel for another architecture is refused, naming both and the command") {
  fake::open_driver();
  CHECK(refusal([](KernelManifest &m) { m.arch = "sm_100a"; }, ErrorCode::wrong_architecture) ==
        kCannotLoad + "it was compiled for sm_100a, which device 0 (Fake H200, sm_90) can't run; "
                      "`tegula compile gemm --arch sm_90a -o DIR` makes one that it can");
  fake::state().devices[0] = {.name = "Fake B200", .major = 10};
  CHECK(refusal([](KernelManifest &) {}, ErrorCode::wrong_architecture) ==
        kCannotLoad + "it was compiled for sm_90a, which device 0 (Fake B200, sm_100) can't run; "
                      "`tegula compile gemm --arch sm_100a -o DIR` makes one that it can");
}

TEST_CASE("limit-04: shared memory over the device's limit is refused with both numbers") {
  fake::open_driver();
  fake::state().devices[0].shared_bytes = 101376;
  CHECK(refusal([](KernelManifest &m) { m.dynamic_shared_bytes = 102400; }, ErrorCode::unsupported) ==
        kCannotLoad +
            "it needs 102400 bytes of shared memory a block, device 0 (Fake H200, sm_90) has 101376; use fewer "
            "stages or a smaller tile");
}

TEST_CASE("limit-04: static shared memory counts too") {
  fake::open_driver();
  fake::state().attributes["static_shared"] = 40000;
  CHECK(refusal([](KernelManifest &) {}, ErrorCode::unsupported) ==
        kCannotLoad + "it needs 200000 + 40000 bytes of shared memory a block, device 0 (Fake H200, sm_90) has 232448");
}

TEST_CASE("load: more threads than the registers allow is refused with the numbers") {
  fake::open_driver();
  fake::state().attributes["max_threads"] = 256;
  fake::state().attributes["registers"] = 255;
  CHECK(refusal([](KernelManifest &) {}, ErrorCode::unsupported) ==
        kCannotLoad + "it runs with 384 threads a block, its 255 registers allow 256");
}

TEST_CASE("load: clusters on a device without them are refused") {
  fake::open_driver();
  fake::state().devices[0] = {.name = "Fake A100", .major = 8};
  CHECK(refusal([](KernelManifest &m) { m.arch = "sm_80"; }, ErrorCode::unsupported) ==
        kCannotLoad + "it runs in clusters of 2 blocks, device 0 (Fake A100, sm_80) has no clusters");
}

TEST_CASE("verifier-05: parameters of image and manifest must agree in size and number") {
  fake::open_driver();
  CHECK(
      refusal([](KernelManifest &m) { m.params[5].dtype = DType::s64; }, ErrorCode::bad_argument) ==
      "cannot load 'gemm': image and manifest don't belong together: parameter 5 (N) has 4 bytes, the manifest says 8");
  CHECK(
      refusal([](KernelManifest &m) { m.params.pop_back(); }, ErrorCode::bad_argument) ==
      "cannot load 'gemm': image and manifest don't belong together: the entry point takes 8 parameters, the manifest "
      "has 7");
  CHECK(
      refusal([](KernelManifest &m) { m.params.push_back({ParamKind::scalar, "beta", 0, DType::f32}); },
              ErrorCode::bad_argument) ==
      "cannot load 'gemm': image and manifest don't belong together: the entry point takes 8 parameters, the manifest "
      "has 9");
}

TEST_CASE("load: an entry point that isn't in the image is named") {
  fake::open_driver();
  CHECK(refusal([](KernelManifest &m) { m.entry = "other"; }, ErrorCode::not_found) ==
        kCannotLoad + "the module has no entry point 'other'");
}

TEST_CASE("load: a manifest that contradicts itself never reaches the driver") {
  fake::open_driver();
  CHECK(refusal([](KernelManifest &m) { m.grid[0].dim = "Q"; }, ErrorCode::bad_argument).find("contradicts itself") !=
        std::string::npos);
  CHECK(fake::state().calls["cuModuleLoadDataEx"] == 0);
}

TEST_CASE("load: a driver without parameter sizes is taken at its word") {
  fake::open_driver();
  fake::state().fail["cuFuncGetParamInfo"] = cu::CUDA_ERROR_NOT_SUPPORTED;
  Context context = fake::open_context();
  load_gemm(context);
}

} // namespace
} // namespace tegula
