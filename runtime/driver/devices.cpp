// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device names, and opening a device by name. Looking without initialising is in look_at_devices.cpp.
#include "runtime/driver/devices.h"

#include <charconv>

#include <fmt/format.h>

#include "runtime/environment/environment.h"

namespace tegula {
namespace {

constexpr std::string_view kDefaultArch = "sm_90a";
// One device of each architecture that Tegula compiles for, so that a program may use both.
constexpr std::string_view kEmulatedArchs[] = {"sm_90a", "sm_100a"};

std::optional<int> parse_ordinal(std::string_view text) {
  int number = -1;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0)
    return std::nullopt;
  return number;
}

Error not_a_device(std::string_view text) {
  return Error(ErrorCode::bad_argument,
               fmt::format("'{}' is no device; give cuda:0, emulator:sm_90a or the like", text));
}

std::string emulated_devices(const DeviceSpec &spec) {
  if (auto given = read_environment().emulator_devices)
    return *given;
  std::string devices;
  bool listed = false;
  for (std::string_view arch : kEmulatedArchs) {
    devices += (devices.empty() ? "" : ",") + std::string(arch);
    listed |= arch == spec.arch;
  }
  if (!listed)
    devices += "," + spec.arch;
  for (int i = 0; i < spec.ordinal; ++i)
    devices += "," + spec.arch;
  return devices;
}

Result<Context> open_emulated(const DeviceSpec &spec) {
  Arch wanted = parse_arch(spec.arch).value_or(Arch{});
  auto opened = Driver::open_emulator(emulated_devices(spec));
  // It has its devices from an earlier use in this process: then one of those must do.
  if (!opened && opened.error().code() == ErrorCode::bad_argument)
    opened = Driver::open_emulator();
  TEGULA_TRY(Driver driver, std::move(opened));
  TEGULA_TRY(int count, driver.device_count());
  std::string shown;
  int left = spec.ordinal;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    TEGULA_TRY(DeviceInfo info, read_device_info(driver, ordinal));
    shown += fmt::format("{}{}", shown.empty() ? "" : ", ", to_string(info.arch));
    if (info.arch.major == wanted.major && info.arch.minor == wanted.minor && left-- == 0)
      return Context::open(driver, ordinal);
  }
  return Error(ErrorCode::no_device,
               fmt::format("no device {}: the emulator shows {}", to_string(spec), shown.empty() ? "none" : shown));
}

} // namespace

Result<DeviceSpec> parse_device_spec(std::string_view text) {
  DeviceSpec spec;
  std::string_view kind = text.substr(0, text.find(':'));
  std::string_view rest = kind.size() < text.size() ? text.substr(kind.size() + 1) : std::string_view();
  const bool bare = kind.size() == text.size();
  if (kind == "cuda") {
    auto ordinal = parse_ordinal(rest);
    if (!bare && !ordinal)
      return not_a_device(text);
    spec.ordinal = ordinal.value_or(0);
    return spec;
  }
  if (kind != "emulator")
    return not_a_device(text);
  spec.kind = DeviceSpec::Kind::emulator;
  spec.arch = bare ? kDefaultArch : rest.substr(0, rest.find(':'));
  if (!parse_arch(spec.arch))
    return not_a_device(text);
  if (size_t colon = rest.find(':'); colon != std::string_view::npos) {
    auto ordinal = parse_ordinal(rest.substr(colon + 1));
    if (!ordinal || *ordinal > 63)
      return not_a_device(text);
    spec.ordinal = *ordinal;
  }
  return spec;
}

std::string to_string(const DeviceSpec &spec) {
  if (spec.kind == DeviceSpec::Kind::cuda)
    return fmt::format("cuda:{}", spec.ordinal);
  return spec.ordinal == 0 ? fmt::format("emulator:{}", spec.arch)
                           : fmt::format("emulator:{}:{}", spec.arch, spec.ordinal);
}

DeviceSpec default_device() {
  if (auto driver = Driver::open())
    if (auto devices = look_at_devices(*driver); devices && !devices->empty())
      return {};
  return {.kind = DeviceSpec::Kind::emulator, .ordinal = 0, .arch = std::string(kDefaultArch)};
}

Result<Context> open_device(const DeviceSpec &spec) {
  if (spec.kind == DeviceSpec::Kind::emulator)
    return open_emulated(spec);
  TEGULA_TRY(Driver driver, Driver::open());
  return Context::open(driver, spec.ordinal);
}

Result<Context> open_device(std::string_view text) {
  TEGULA_TRY(DeviceSpec spec, parse_device_spec(text));
  return open_device(spec);
}

} // namespace tegula
