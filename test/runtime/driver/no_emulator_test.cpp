// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where there is no emulator beside the program, the message names the places.
#include "runtime/driver/devices.h"
#include "test/runtime/fake_driver/open_fake.h"

namespace tegula {
namespace {

TEST_CASE("devices: no emulator is a clear error") {
  auto context = open_device("emulator:sm_90a");
  REQUIRE_FALSE(context);
  CHECK(context.error().code() == ErrorCode::no_driver);
  CHECK(context.error().message().starts_with("no emulator: found neither "));
  CHECK(context.error().message().find("lib/libtegula_emulator.so") != std::string::npos);
}

bool has_gpu() {
  auto driver = Driver::open();
  auto devices = driver ? look_at_devices(*driver) : Result<std::vector<DeviceInfo>>(driver.error());
  return devices && !devices->empty();
}

TEST_CASE("devices: without a GPU the default is the emulator") {
  CHECK(to_string(default_device()).substr(0, 4) == (has_gpu() ? "cuda" : "emul"));
}

} // namespace
} // namespace tegula
