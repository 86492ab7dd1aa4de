// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device names, and the emulator found beside the program.
#include "runtime/driver/devices.h"
#include "test/runtime/fake_driver/open_fake.h"

namespace tegula {
namespace {

TEST_CASE("devices: names are read and written") {
  for (const char *text : {"cuda:0", "cuda:7", "emulator:sm_90a", "emulator:sm_100a:1"})
    CHECK(to_string(*parse_device_spec(text)) == text);
  CHECK(to_string(*parse_device_spec("cuda")) == "cuda:0");
  CHECK(to_string(*parse_device_spec("emulator")) == "emulator:sm_90a");
}

TEST_CASE("devices: a wrong name is refused with what would do") {
  for (const char *text : {"", "gpu:0", "cuda:", "cuda:-1", "cuda:x", "emulator:", "emulator:90a",
                           "emulator:sm_90a:", "emulator:sm_90a:99"}) {
    auto spec = parse_device_spec(text);
    REQUIRE_FALSE(spec);
    CHECK(spec.error().message() ==
          "'" + std::string(text) + "' is no device; give cuda:0, emulator:sm_90a or the like");
  }
}

TEST_CASE("devices: the emulator beside the program shows both architectures in one process") {
  auto hopper = open_device("emulator:sm_90a");
  REQUIRE(hopper);
  CHECK(hopper->driver().emulated());
  CHECK(hopper->driver().library() == TEGULA_FAKE_EMULATOR_LIBRARY);
  CHECK(hopper->device().emulated);
  auto blackwell = open_device("emulator:sm_100a");
  REQUIRE(blackwell);
  CHECK(blackwell->device().arch == Arch{10, 0});
  CHECK(hopper->driver().library() == blackwell->driver().library());
}

TEST_CASE("devices: an emulated device that wasn't there at the first use is refused with those that are") {
  REQUIRE(open_device("emulator:sm_90a"));
  auto second = open_device("emulator:sm_90a:1");
  REQUIRE_FALSE(second);
  CHECK(second.error().message() == "no device emulator:sm_90a:1: the emulator shows sm_90, sm_100");
}

} // namespace
} // namespace tegula
