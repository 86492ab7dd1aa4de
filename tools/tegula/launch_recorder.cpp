// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts a recording function into the driver's table for one launch.
#include "tools/tegula/launch_recorder.h"

#include <cstring>

namespace tegula {
namespace {

// The driver's entry takes no place for ours: what the recording function needs lies here while it is installed.
struct Recording {
  const cu::DriverApi *api;
  decltype(cu::DriverApi::cuLaunchKernelEx) real;
  RecordedLaunch launch;
  bool done = false;
};
Recording *current_recording = nullptr;

cu::CUresult record(const cu::CUlaunchConfig *config, cu::CUfunction function, void **params, void **extra) {
  Recording &recording = *current_recording;
  RecordedLaunch &launch = recording.launch;
  launch.function = function;
  launch.config = *config;
  launch.attributes.assign(config->attrs, config->attrs + config->numAttrs);
  for (RecordedLaunch::Slot &slot : launch.slots) {
    size_t offset = 0, bytes = 0;
    const auto index = static_cast<size_t>(&slot - launch.slots.data());
    if (!recording.api->cuFuncGetParamInfo ||
        recording.api->cuFuncGetParamInfo(function, index, &offset, &bytes) != cu::CUDA_SUCCESS) {
      launch.slots.resize(index);
      break;
    }
    std::memcpy(slot.bytes.data(), params[index], std::min(bytes, slot.bytes.size()));
  }
  recording.done = true;
  return recording.real(config, function, params, extra);
}

constexpr size_t kMostParameters = 64;

} // namespace

Result<void> RecordedLaunch::launch(const Session &session) const {
  cu::CUlaunchConfig config_here = config;
  config_here.attrs = const_cast<cu::CUlaunchAttribute *>(attributes.data());
  void *params[kMostParameters];
  for (size_t i = 0; i < slots.size(); ++i)
    params[i] = const_cast<std::byte *>(slots[i].bytes.data());
  const Driver &driver = session.context.driver();
  return driver.check(driver.api().cuLaunchKernelEx(&config_here, function, params, nullptr), "cuLaunchKernelEx");
}

Result<RecordedLaunch> record_launch(Session &session, const std::function<Result<void>()> &work) {
  auto &api = const_cast<cu::DriverApi &>(session.context.driver().api());
  Recording recording{&api, api.cuLaunchKernelEx, {}};
  recording.launch.slots.resize(kMostParameters);
  current_recording = &recording;
  api.cuLaunchKernelEx = record;
  const Result<void> ran = work();
  api.cuLaunchKernelEx = recording.real;
  current_recording = nullptr;
  TEGULA_CHECK(ran);
  if (!recording.done || recording.launch.slots.empty())
    return Error(ErrorCode::internal, "no launch was recorded, or this driver does not tell its parameters");
  return std::move(recording.launch);
}

} // namespace tegula
