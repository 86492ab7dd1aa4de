// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The driver's state, contexts of threads, capture.
#include "runtime/emulator/driver/state.h"

#include <functional>
#include <sstream>
#include <thread>

namespace tegula::emulator {
namespace {

unsigned long this_thread() { return std::hash<std::thread::id>()(std::this_thread::get_id()); }

} // namespace

CUstreamCaptureMode &thread_capture_mode() {
  static thread_local CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  return mode;
}

DriverState &state() {
  static auto *s = new DriverState; // never destroyed: programs call the driver from their exit handlers
  return *s;
}

Device *device_at(int ordinal) {
  auto &d = state().devices;
  return ordinal >= 0 && static_cast<size_t>(ordinal) < d.size() ? d[static_cast<size_t>(ordinal)].get() : nullptr;
}

std::vector<CUcontext> &context_stack() {
  static thread_local std::vector<CUcontext> stack;
  return stack;
}

CUcontext current() { return context_stack().empty() ? nullptr : context_stack().back(); }

CUresult check_context() {
  if (!state().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  CUcontext c = current();
  return c ? c->sticky : CUDA_ERROR_INVALID_CONTEXT;
}

CUstream resolve(CUstream stream) {
  auto value = reinterpret_cast<uintptr_t>(stream);
  if (value > 2) // 0, 1 and 2 are the default streams
    return stream;
  CUcontext c = current();
  if (!c)
    return nullptr;
  if (!c->default_stream) {
    c->default_stream = std::make_unique<CUstream_st>();
    c->default_stream->context = c;
  }
  return c->default_stream.get();
}

CUresult submit(CUstream given, int type, Work work) {
  if (CUresult r = check_context(); r != CUDA_SUCCESS)
    return r;
  CUstream stream = resolve(given);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (stream->capture) {
    if (stream->capture->invalid)
      return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    auto node = std::make_shared<CUgraphNode_st>();
    node->work = std::move(work);
    node->type = type;
    stream->capture->nodes.push_back(std::move(node));
    return CUDA_SUCCESS;
  }
  return work();
}

bool allowed_while_capturing() {
  if (thread_capture_mode() == CU_STREAM_CAPTURE_MODE_RELAXED)
    return true;
  DriverState &s = state();
  std::lock_guard lock(s.mutex);
  bool allowed = true;
  for (CUstream stream : s.streams) {
    if (!stream->capture || !stream->origin || stream->mode == CU_STREAM_CAPTURE_MODE_RELAXED)
      continue;
    bool mine = stream->capture_thread == this_thread();
    bool global =
        stream->mode == CU_STREAM_CAPTURE_MODE_GLOBAL && thread_capture_mode() == CU_STREAM_CAPTURE_MODE_GLOBAL;
    if (!mine && !global)
      continue;
    stream->capture->invalid = true;
    allowed = false;
  }
  return allowed;
}

bool make_devices(DriverState &s) {
  std::vector<std::unique_ptr<Device>> made;
  std::stringstream list(s.settings.devices);
  for (std::string arch; std::getline(list, arch, ',');) {
    auto d = std::make_unique<Device>();
    d->ordinal = static_cast<int>(made.size());
    d->arch = arch;
    if (arch == "sm_90a" || arch == "sm_90") {
      d->major = 9;
    } else if (arch == "sm_100a" || arch == "sm_100") {
      d->major = 10;
      d->sm_count = 148;
    } else if (arch == "sm_80") {
      d->major = 8;
      d->sm_count = 108;
    } else {
      return false;
    }
    made.push_back(std::move(d));
  }
  if (made.empty())
    return false;
  for (auto &d : made)
    d->memory = std::make_unique<GlobalMemory>();
  s.devices = std::move(made);
  return true;
}

} // namespace tegula::emulator
