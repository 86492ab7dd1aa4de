// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Settings from the environment and by name.
#include "runtime/emulator/driver/options.h"

#include <cstdlib>

namespace tegula::emulator {

bool set_option(DriverSettings &s, const std::string &name, const std::string &value) {
  if (name == "devices") {
    s.devices = value;
    return !value.empty();
  }
  if (name == "tensor_order") {
    s.options.strict_tensor_order = value == "strict";
    return value == "strict" || value == "pipe";
  }
  char *end = nullptr;
  unsigned long long n = std::strtoull(value.c_str(), &end, 0);
  if (value.empty() || *end)
    return false;
  if (name == "checks")
    s.options.checks = n != 0;
  else if (name == "seed")
    s.options.seed = n;
  else if (name == "threads")
    s.options.threads = static_cast<unsigned>(n);
  else if (name == "budget")
    s.options.budget = n;
  else
    return false;
  return true;
}

DriverSettings settings_from_environment() {
  DriverSettings s;
  static constexpr const char *kNames[][2] = {
      {"TEGULA_EMULATOR_DEVICES", "devices"}, {"TEGULA_EMULATOR_CHECKS", "checks"},
      {"TEGULA_EMULATOR_SEED", "seed"},       {"TEGULA_EMULATOR_THREADS", "threads"},
      {"TEGULA_EMULATOR_BUDGET", "budget"},   {"TEGULA_EMULATOR_TENSOR_ORDER", "tensor_order"}};
  for (const auto &row : kNames)
    if (const char *value = std::getenv(row[0]); value && *value && !set_option(s, row[1], value))
      std::fprintf(stderr, "tegula emulator: %s='%s' is not understood\n", row[0], value);
  return s;
}

} // namespace tegula::emulator
