// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tegula doctor: what was found on this machine, why that one, and what is missing. Looks only: nothing is initialised.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "compiler/jit/identity.h"
#include "runtime/cache/cache_directory.h"
#include "runtime/driver/devices.h"
#include "runtime/toolkit/toolkit.h"
#include "tools/tegula/commands.h"

namespace tegula {
namespace {

using Json = nlohmann::ordered_json;

// A heading, what was found, and whether it is as it should be.
struct Finding {
  std::string topic, text;
  Json details = {};
};

Finding look_at_driver() {
  const Result<Driver> driver = Driver::open();
  if (!driver)
    return {"driver", driver.error().message(), nullptr};
  const Result<int> version = driver->version();
  const std::string served = version ? cuda_version_text(*version) : version.error().message();
  return {"driver",
          fmt::format("{}, serves CUDA {}", driver->library(), served),
          {{"library", driver->library()}, {"cuda", served}}};
}

Finding look_at_gpus() {
  const Result<Driver> driver = Driver::open();
  const Result<std::vector<DeviceInfo>> devices =
      driver ? look_at_devices(*driver) : Result<std::vector<DeviceInfo>>(std::vector<DeviceInfo>());
  if (!devices)
    return {"GPU", devices.error().message(), Json::array()};
  Finding finding{"GPU", "", Json::array()};
  for (const DeviceInfo &device : *devices) {
    finding.text += fmt::format("{}cuda:{} {}, {}, {} SMs, {} GiB", finding.text.empty() ? "" : "; ", device.ordinal,
                                device.name, to_string(device.arch), device.multiprocessors, device.memory_bytes >> 30);
    finding.details.push_back({{"device", fmt::format("cuda:{}", device.ordinal)},
                               {"name", device.name},
                               {"arch", to_string(device.arch)},
                               {"multiprocessors", device.multiprocessors},
                               {"memory_bytes", device.memory_bytes}});
  }
  if (devices->empty())
    finding.text = fmt::format("none; kernels run on {} unless --device names another", to_string(default_device()));
  return finding;
}

Finding look_at_emulator() {
  const Result<Driver> emulator = Driver::open_emulator();
  return {"emulator", emulator ? emulator->library() : emulator.error().message(),
          emulator ? Json(emulator->library()) : Json(nullptr)};
}

Finding look_at_assembler(const Arguments &arguments) {
  ToolkitOptions options;
  if (!arguments.ptxas.empty())
    options.ptxas = arguments.ptxas;
  const Result<Tool> ptxas = find_ptxas("sm_90a", options);
  if (!ptxas)
    return {"assembler", "the driver, from PTX, as there is no ptxas: " + ptxas.error().message(), "driver"};
  return {"assembler",
          fmt::format("{} {}, found by {}", ptxas->path.string(), ptxas->build, ptxas->found_by),
          {{"path", ptxas->path.string()}, {"build", ptxas->build}, {"found_by", ptxas->found_by}}};
}

Finding look_at_disassembler() {
  const Result<Tool> tool = find_tool("nvdisasm");
  if (!tool)
    return {"disassembler", "none: `inspect --emit sass` can't be answered", nullptr};
  return {"disassembler", fmt::format("{} {}, found by {}", tool->path.string(), tool->build, tool->found_by),
          tool->path.string()};
}

Finding look_at_cache(const Arguments &arguments) {
  const CacheDirectory cache = locate_cache(arguments.cache_directory, read_environment());
  return {"cache",
          cache.path.empty() ? "memory only: " + cache.problem
                             : fmt::format("{}, named by {}", cache.path, cache.source),
          {{"path", cache.path}, {"source", cache.source}, {"problem", cache.problem}}};
}

} // namespace

Result<int> run_doctor(const Arguments &arguments) {
  const Finding findings[] = {{"tegula", compiler_identity(), compiler_identity()},
                              look_at_driver(),
                              look_at_gpus(),
                              look_at_emulator(),
                              look_at_assembler(arguments),
                              look_at_disassembler(),
                              look_at_cache(arguments)};
  Json json = Json::object();
  for (const Finding &finding : findings) {
    json[finding.topic] = {{"found", finding.text}, {"details", finding.details}};
    if (!arguments.json)
      fmt::print("{:<13} {}\n", finding.topic, finding.text);
  }
  for (const EnvironmentVariable &variable : list_environment()) {
    json["environment"][std::string(variable.name)] = variable.value ? Json(*variable.value) : Json(nullptr);
    if (!arguments.json)
      fmt::print("{:<13} {}={} ({})\n", "environment", variable.name, variable.value.value_or("(not set)"),
                 variable.meaning);
  }
  if (arguments.json)
    fmt::print("{}\n", json.dump(2));
  return 0;
}

} // namespace tegula
