// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opening drivers, and what their errors say.
#include "test/runtime/fake_driver/open_fake.h"

namespace tegula {
namespace {

TEST_CASE("driver: opening resolves the table and initialises nothing") {
  Driver driver = fake::open_driver();
  CHECK(driver.library() == TEGULA_FAKE_DRIVER);
  CHECK_FALSE(driver.emulated());
  CHECK(*driver.version() == 13000);
  CHECK(fake::state().calls["cuInit"] == 0);
}

TEST_CASE("driver: a library that isn't there is no driver, and the message says what else to do") {
  auto driver = Driver::open({.library = "libtegula_nowhere.so", .emulator_devices = {}});
  REQUIRE_FALSE(driver);
  CHECK(driver.error().code() == ErrorCode::no_driver);
  CHECK(
      driver.error().message() ==
      "no driver: libtegula_nowhere.so: cannot open shared object file: No such file or directory; install the NVIDIA "
      "driver, or use --device emulator:sm_90a");
}

TEST_CASE("driver: a library without the entries is too old, and all that lack are named") {
  auto driver = Driver::open({.library = "libm.so.6", .emulator_devices = {}});
  REQUIRE_FALSE(driver);
  CHECK(driver.error().code() == ErrorCode::no_driver);
  CHECK(driver.error().message().find("is too old: it lacks cuInit, cuDriverGetVersion, ") != std::string::npos);
  CHECK(driver.error().message().find("cuLaunchKernelEx") != std::string::npos);
}

TEST_CASE("driver: errors carry the entry's name and the driver's words") {
  Driver driver = fake::open_driver();
  Error error = driver.error(cu::CUDA_ERROR_OUT_OF_MEMORY, "cuMemAlloc_v2");
  CHECK(error.message() == "cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
  CHECK(error.code() == ErrorCode::out_of_memory);
  CHECK(driver.error(static_cast<cu::CUresult>(4242), "cuX").message() == "cuX: error 4242 (a fault)");
}

TEST_CASE("driver: versions read as people write them") {
  CHECK(cuda_version_text(13000) == "13.0");
  CHECK(cuda_version_text(12080) == "12.8");
}

TEST_CASE("driver: a driver without devices is no_device at the first use") {
  Driver driver = fake::open_driver();
  fake::state().fail["cuInit"] = cu::CUDA_ERROR_NO_DEVICE;
  // The process may have initialised it in an earlier test; a fresh table hasn't.
  auto context = Context::open(driver, 0);
  REQUIRE_FALSE(context);
  CHECK(context.error().code() == ErrorCode::no_device);
  CHECK(context.error().message() == "cuInit: CUDA_ERROR_NO_DEVICE (a fault)");
}

} // namespace
} // namespace tegula
