// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Looking at devices leaves the process able to fork and to use the driver in the child. Each test here runs before
// anything has initialised the driver, so they are one program and the last one initialises.
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/driver/devices.h"
#include "test/runtime/fake_driver/open_fake.h"

namespace tegula {
namespace {

TEST_CASE("cache-13: a look finds the devices, and a forked child then works") {
  Driver driver = fake::open_driver();
  fake::state().devices.push_back({.name = "Fake B200 with spaces", .major = 10});
  auto devices = look_at_devices(driver);
  REQUIRE(devices);
  REQUIRE(devices->size() == 2);
  CHECK((*devices)[0].arch == Arch{9, 0});
  CHECK((*devices)[0].shared_bytes_per_block == 232448);
  CHECK((*devices)[1].name == "Fake B200 with spaces");
  CHECK((*devices)[1].arch == Arch{10, 0});
  CHECK(fake::state().initialized_by == 0);

  pid_t child = fork();
  if (child == 0)
    _exit(Context::open(driver, 1).ok() ? 7 : 8);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WEXITSTATUS(status) == 7);
}

TEST_CASE("cache-13: a driver without devices says so through the child") {
  Driver driver = fake::open_driver();
  fake::state().devices.clear();
  auto devices = look_at_devices(driver);
  REQUIRE_FALSE(devices);
  CHECK(devices.error().code() == ErrorCode::no_device);
  CHECK(devices.error().message() == "cuInit: CUDA_ERROR_NO_DEVICE (a fault)");
}

TEST_CASE("cache-13: in a process that uses the driver already, it is asked directly") {
  Driver driver = fake::open_driver();
  Context context = fake::open_context();
  auto devices = look_at_devices(driver);
  REQUIRE(devices);
  CHECK(devices->size() == 1);
}

} // namespace
} // namespace tegula
