// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Primary contexts and what a device says of itself.
#include "runtime/driver/context.h"

#include <array>
#include <utility>

#include <fmt/format.h>

namespace tegula {

using namespace cu;

namespace {

Result<int> attribute(const Driver &driver, CUdevice device, CUdevice_attribute which) {
  int value = 0;
  TEGULA_CHECK(driver.check(driver.api().cuDeviceGetAttribute(&value, which, device), "cuDeviceGetAttribute"));
  return value;
}

} // namespace

std::string to_string(const DeviceInfo &device) {
  return fmt::format("device {} ({}, {})", device.ordinal, device.name, to_string(device.arch));
}

Result<DeviceInfo> read_device_info(const Driver &driver, int ordinal) {
  const DriverApi &api = driver.api();
  CUdevice device = 0;
  TEGULA_CHECK(driver.check(api.cuDeviceGet(&device, ordinal), "cuDeviceGet"));
  DeviceInfo info;
  info.ordinal = ordinal;
  info.emulated = driver.emulated();
  std::array<char, 256> name{};
  TEGULA_CHECK(driver.check(api.cuDeviceGetName(name.data(), name.size() - 1, device), "cuDeviceGetName"));
  info.name = name.data();
  size_t memory = 0;
  TEGULA_CHECK(driver.check(api.cuDeviceTotalMem_v2(&memory, device), "cuDeviceTotalMem_v2"));
  info.memory_bytes = static_cast<int64_t>(memory);
  TEGULA_TRY(info.arch.major, attribute(driver, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR));
  TEGULA_TRY(info.arch.minor, attribute(driver, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  TEGULA_TRY(info.multiprocessors, attribute(driver, device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  TEGULA_TRY(info.shared_bytes_per_block,
             attribute(driver, device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  TEGULA_TRY(info.shared_bytes_per_multiprocessor,
             attribute(driver, device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR));
  TEGULA_TRY(info.l2_bytes, attribute(driver, device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
  // An older driver doesn't know the attribute, and then the device has no clusters.
  info.clusters = attribute(driver, device, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH).value_or(0) != 0;
  return info;
}

ContextState::ContextState(Driver driver_, CUdevice device_, CUcontext context_, DeviceInfo info_)
    : driver(std::move(driver_)), device(device_), context(context_), info(std::move(info_)) {}

ContextState::~ContextState() {
  if (!process_is_exiting())
    (void)driver.api().cuDevicePrimaryCtxRelease_v2(device);
}

Result<Context> Context::open(const Driver &driver, int ordinal) {
  TEGULA_TRY(int count, driver.device_count());
  if (ordinal < 0 || ordinal >= count)
    return Error(ErrorCode::no_device, fmt::format("no device {}: {} shows {} device{}", ordinal, driver.library(),
                                                   count, count == 1 ? "" : "s"));
  TEGULA_TRY(DeviceInfo info, read_device_info(driver, ordinal));
  const DriverApi &api = driver.api();
  CUdevice device = 0;
  TEGULA_CHECK(driver.check(api.cuDeviceGet(&device, ordinal), "cuDeviceGet"));
  CUcontext context = nullptr;
  TEGULA_CHECK(driver.check(api.cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain"));
  return Context(std::make_shared<const ContextState>(driver, device, context, std::move(info)));
}

Result<void> Context::synchronize() const {
  CurrentContext current(*state_);
  TEGULA_CHECK(driver().check(current.status(), "cuCtxPushCurrent_v2"));
  return driver().check(driver().api().cuCtxSynchronize(), "cuCtxSynchronize");
}

} // namespace tegula
