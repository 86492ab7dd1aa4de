// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the user may set from outside: the environment is read here and nowhere else.
#pragma once

#include "runtime/emulator/machine/launch.h"

#include <string>

namespace tegula::emulator {

struct DriverSettings {
  std::string devices = "sm_90a,sm_100a"; // TEGULA_EMULATOR_DEVICES
  Options options;                        // TEGULA_EMULATOR_CHECKS=0, _SEED=n, …
};

[[nodiscard]] DriverSettings settings_from_environment();
/// One setting by its short name: devices, checks, seed, threads, budget, tensor_order. False if there is no such
/// setting or value.
[[nodiscard]] bool set_option(DriverSettings &settings, const std::string &name, const std::string &value);

} // namespace tegula::emulator
