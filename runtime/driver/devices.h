// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of devices (cuda:0, emulator:sm_90a), looking at which there are, and opening one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/driver/context.h"

namespace tegula {

/// A device by name: "cuda:N" ("cuda" is cuda:0), "emulator:ARCH" or "emulator:ARCH:N", the N-th emulated device of
/// that architecture ("emulator" is emulator:sm_90a).
struct DeviceSpec {
  enum class Kind { cuda, emulator };
  Kind kind = Kind::cuda;
  int ordinal = 0;
  std::string arch; ///< emulator alone

  bool operator==(const DeviceSpec &) const = default;
};

/// \errors bad_argument, saying what would do.
[[nodiscard]] Result<DeviceSpec> parse_device_spec(std::string_view text);
[[nodiscard]] std::string to_string(const DeviceSpec &spec);

/// Looks at a driver's devices without initialising it in this process (a child process looks), so that the caller may
/// fork afterwards. Where the process uses the driver already, asks it directly.
/// \errors as Driver::initialize; driver_error when the child died or didn't answer within 30 seconds.
[[nodiscard]] Result<std::vector<DeviceInfo>> look_at_devices(const Driver &driver);

/// "cuda:0" where look_at_devices finds one, else "emulator:sm_90a".
[[nodiscard]] DeviceSpec default_device();

/// Opens the driver that the name asks for, and the device.
///     TEGULA_TRY(Context context, open_device("emulator:sm_100a"));
[[nodiscard]] Result<Context> open_device(const DeviceSpec &spec);
[[nodiscard]] Result<Context> open_device(std::string_view spec);

} // namespace tegula
