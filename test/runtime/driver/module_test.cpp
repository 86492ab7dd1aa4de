// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules: images that the driver refuses, and what is said of them.
#include "runtime/driver/module.h"
#include "runtime/driver/stream.h"
#include "test/runtime/fake_driver/open_fake.h"

namespace tegula {
namespace {

constexpr std::string_view kPtx = "// made by hand\n.version 9.5\n.target sm_90a\n.address_size 64\n"
                                  ".visible .entry copy(.param .u64 a, .param .u32 n) { ret; }\n";

TEST_CASE("module: PTX loads, its functions are found and keep it loaded") {
  fake::open_driver();
  Context context = fake::open_context();
  const int before = fake::state().live_modules;
  {
    auto function = [&] { return Module::load(context, fake::bytes_of(kPtx))->function("copy"); }();
    REQUIRE(function);
    CHECK(fake::state().live_modules == before + 1);
    CHECK(**function->param_bytes(0) == 8);
    CHECK(**function->param_bytes(1) == 4);
    CHECK_FALSE(function->param_bytes(2)->has_value());
    CHECK(function->info()->registers == 32);
  }
  CHECK(fake::state().live_modules == before);
}

TEST_CASE("module: an entry point that isn't there is named") {
  fake::open_driver();
  Context context = fake::open_context();
  auto module = Module::load(context, fake::bytes_of(kPtx));
  auto function = module->function("coppy");
  REQUIRE_FALSE(function);
  CHECK(function.error().code() == ErrorCode::not_found);
  CHECK(function.error().message() == "the module has no entry point 'coppy'");
}

TEST_CASE("module: PTX that the driver refuses comes with the driver's log") {
  fake::open_driver();
  Context context = fake::open_context();
  fake::state().fail["cuModuleLoadDataEx"] = cu::CUDA_ERROR_INVALID_PTX;
  fake::state().jit_error = "ptxas application ptx input, line 5; fatal : Parsing error near 'ret'\n";
  auto module = Module::load(context, fake::bytes_of(kPtx));
  REQUIRE_FALSE(module);
  CHECK(module.error().code() == ErrorCode::driver_error);
  CHECK(module.error().message() ==
        "the PTX was refused on device 0 (Fake H200, sm_90): cuModuleLoadDataEx: CUDA_ERROR_INVALID_PTX (a fault)\n"
        "ptxas application ptx input, line 5; fatal : Parsing error near 'ret'");
}

TEST_CASE("aot-02: PTX newer than the driver is refused with both versions") {
  fake::open_driver();
  Context context = fake::open_context();
  fake::state().fail["cuModuleLoadDataEx"] = cu::CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
  auto module = Module::load(context, fake::bytes_of(kPtx));
  REQUIRE_FALSE(module);
  CHECK(module.error().code() == ErrorCode::unsupported);
  CHECK(module.error().message() == "the PTX is version 9.5, the driver (CUDA 13.0) reads up to 9.0; install a newer "
                                    "driver or load a cubin");
}

TEST_CASE("module: an image for another device names the target and the device") {
  fake::open_driver();
  Context context = fake::open_context();
  fake::state().fail["cuModuleLoadDataEx"] = cu::CUDA_ERROR_NO_BINARY_FOR_GPU;
  CHECK(Module::load(context, fake::bytes_of(kPtx)).error().message() ==
        "the PTX is for sm_90a, which device 0 (Fake H200, sm_90) can't run");
  CHECK(Module::load(context, fake::bytes_of("\x7f"
                                             "ELF..."))
            .error()
            .message() == "the cubin is for another architecture than that of device 0 (Fake H200, sm_90)");
}

TEST_CASE("module: an empty image is refused") {
  fake::open_driver();
  Context context = fake::open_context();
  CHECK(Module::load(context, {}).error().message() == "cannot load a module: the image is empty");
}

TEST_CASE("module: the driver's log of a good compile is kept") {
  fake::open_driver();
  Context context = fake::open_context();
  fake::state().jit_log = "info    : 168 registers\n";
  CHECK(Module::load(context, fake::bytes_of(kPtx))->log() == "info    : 168 registers");
}

TEST_CASE("ptx: version and target are read past comments, and not out of nothing") {
  auto header = read_ptx_header(kPtx);
  REQUIRE(header);
  CHECK(header->version_major == 9);
  CHECK(header->version_minor == 5);
  CHECK(header->target == "sm_90a");
  CHECK_FALSE(read_ptx_header("no ptx at all"));
  CHECK(count_ptx_params(kPtx, "copy") == 2);
  CHECK(count_ptx_params(".entry copy_more(.param .u64 a) {}\n.entry copy\n(\n)", "copy") == 0);
  CHECK_FALSE(count_ptx_params(kPtx, "cop"));
  CHECK_FALSE(read_ptx_header(".version x.y\n.target sm_90\n"));
}

} // namespace
} // namespace tegula
