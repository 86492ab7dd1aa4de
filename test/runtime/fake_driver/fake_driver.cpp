// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fake driver's entry points: initialisation, devices, contexts, modules and launches. It is strict where the real
// one is: before cuInit, in a forked child, without a current context, and after the process began to exit.
#include "test/runtime/fake_driver/fake_machine.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

namespace fake {

Machine &machine() {
  // Never destroyed: calls after exit are answered with a complaint, not with a crash of the fake.
  static auto *the = new Machine;
  return *the;
}

CUresult enter(const char *entry, Needs needs) {
  Machine &m = machine();
  if (m.gone) {
    std::fprintf(stderr, "fake driver: %s was called after the driver had gone\n", entry);
    return CUDA_ERROR_DEINITIALIZED;
  }
  ++m.state.calls[entry];
  if (auto found = m.state.fail.find(entry); found != m.state.fail.end())
    return found->second;
  if (needs == Needs::nothing)
    return CUDA_SUCCESS;
  if (m.state.initialized_by != getpid())
    return CUDA_ERROR_NOT_INITIALIZED;
  if (needs == Needs::context && current().empty())
    return CUDA_ERROR_INVALID_CONTEXT;
  return CUDA_SUCCESS;
}

std::vector<CUctx_st *> &current() {
  thread_local std::vector<CUctx_st *> stack;
  return stack;
}

CUresult spoil_captures() {
  Machine &m = machine();
  if (thread_capture_mode() == CU_STREAM_CAPTURE_MODE_RELAXED)
    return CUDA_SUCCESS;
  CUresult result = CUDA_SUCCESS;
  for (auto &stream : m.streams)
    if (stream->capturing && stream->mode != CU_STREAM_CAPTURE_MODE_RELAXED &&
        (stream->mode == CU_STREAM_CAPTURE_MODE_GLOBAL || stream->thread == std::this_thread::get_id())) {
      stream->invalidated = true;
      result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
  return result;
}

CUstreamCaptureMode &thread_capture_mode() {
  thread_local CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  return mode;
}

namespace {

// Sizes of the parameters of `.entry NAME(...)` in an image, or nothing where there is no such entry.
bool find_entry(const std::string &image, const std::string &entry, std::vector<size_t> &bytes) {
  size_t at = image.find(".entry " + entry + "(");
  if (at == std::string::npos)
    return false;
  std::string list = image.substr(at, image.find(')', at) - at);
  for (size_t p = list.find(".param"); p != std::string::npos; p = list.find(".param", p + 1)) {
    std::string one = list.substr(p, list.find(',', p) - p);
    if (size_t open = one.find('['); open != std::string::npos)
      bytes.push_back(static_cast<size_t>(std::atoi(one.c_str() + open + 1)));
    else
      bytes.push_back(one.find("64") != std::string::npos ? 8 : one.find("32") != std::string::npos ? 4 : 2);
  }
  return true;
}

} // namespace
} // namespace fake

using namespace fake;

FAKE_ENTRY State *fake_driver_state() { return &machine().state; }

#ifdef TEGULA_FAKE_EMULATOR
FAKE_ENTRY int tegula_emulator_configure(const char *devices) {
  if (machine().state.initialized_by != 0)
    return machine().state.emulator_devices == devices ? 0 : 1;
  std::string list = machine().state.emulator_devices = devices;
  machine().state.devices.clear();
  for (size_t at = 0; at <= list.size();) {
    size_t end = std::min(list.find(',', at), list.size());
    int number = std::atoi(list.c_str() + at + 3);
    machine().state.devices.push_back({.name = "Emulated " + list.substr(at, end - at),
                                       .major = number / 10,
                                       .minor = number % 10,
                                       .multiprocessors = 4});
    at = end + 1;
  }
  return 0;
}
#endif

FAKE_ENTRY CUresult cuInit(unsigned) {
  FAKE_ENTER("cuInit", nothing);
  Machine &m = machine();
  if (m.state.initialized_by != 0 && m.state.initialized_by != getpid())
    return CUDA_ERROR_NOT_INITIALIZED;
  if (m.state.devices.empty())
    return CUDA_ERROR_NO_DEVICE;
  if (m.state.initialized_by == 0)
    std::atexit([] { machine().gone = true; });
  m.state.initialized_by = getpid();
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuDriverGetVersion(int *version) {
  FAKE_ENTER("cuDriverGetVersion", nothing);
  *version = machine().state.version;
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuGetErrorName(CUresult error, const char **text) {
  switch (error) {
  case CUDA_ERROR_OUT_OF_MEMORY: *text = "CUDA_ERROR_OUT_OF_MEMORY"; break;
  case CUDA_ERROR_NO_DEVICE: *text = "CUDA_ERROR_NO_DEVICE"; break;
  case CUDA_ERROR_INVALID_PTX: *text = "CUDA_ERROR_INVALID_PTX"; break;
  case CUDA_ERROR_LAUNCH_FAILED: *text = "CUDA_ERROR_LAUNCH_FAILED"; break;
  case CUDA_ERROR_INVALID_VALUE: *text = "CUDA_ERROR_INVALID_VALUE"; break;
  case CUDA_ERROR_STREAM_CAPTURE_INVALIDATED: *text = "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"; break;
  default: *text = nullptr; return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuGetErrorString(CUresult error, const char **text) {
  *text = error == CUDA_ERROR_OUT_OF_MEMORY ? "out of memory" : "a fault";
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuDeviceGetCount(int *count) {
  FAKE_ENTER("cuDeviceGetCount", initialized);
  *count = static_cast<int>(machine().state.devices.size());
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  FAKE_ENTER("cuDeviceGet", initialized);
  *device = ordinal;
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
  FAKE_ENTER("cuDeviceGetName", initialized);
  std::snprintf(name, static_cast<size_t>(length), "%s", machine().device(device).name.c_str());
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  FAKE_ENTER("cuDeviceTotalMem_v2", initialized);
  *bytes = static_cast<size_t>(machine().device(device).memory_bytes);
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  FAKE_ENTER("cuDeviceGetAttribute", initialized);
  const Device &d = machine().device(device);
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = d.major; break;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = d.minor; break;
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = d.multiprocessors; break;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: *value = d.shared_bytes; break;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR: *value = d.shared_bytes + 1024; break;
  case CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH: *value = d.major >= 9; break;
  default: *value = 0;
  }
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  FAKE_ENTER("cuDevicePrimaryCtxRetain", initialized);
  ++machine().state.retained;
  *context = machine().primary(device);
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) {
  FAKE_ENTER("cuDevicePrimaryCtxRelease_v2", initialized);
  --machine().state.retained;
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuCtxGetCurrent(CUcontext *context) {
  if (machine().state.record)
    FAKE_ENTER("cuCtxGetCurrent", initialized);
  *context = current().empty() ? nullptr : current().back();
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuCtxPushCurrent_v2(CUcontext context) {
  FAKE_ENTER("cuCtxPushCurrent_v2", initialized);
  current().push_back(context);
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuCtxPopCurrent_v2(CUcontext *context) {
  FAKE_ENTER("cuCtxPopCurrent_v2", initialized);
  *context = current().back();
  current().pop_back();
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuCtxSynchronize() {
  FAKE_ENTER("cuCtxSynchronize", context);
  return spoil_captures();
}

FAKE_ENTRY CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count, CUjit_option *options,
                                       void **values) {
  auto put = [&](CUjit_option which, const std::string &text) {
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == which)
        std::strcpy(static_cast<char *>(values[i]), text.c_str());
  };
  put(CU_JIT_INFO_LOG_BUFFER, machine().state.jit_log);
  put(CU_JIT_ERROR_LOG_BUFFER, machine().state.jit_error);
  FAKE_ENTER("cuModuleLoadDataEx", context);
  if (CUresult spoiled = spoil_captures())
    return spoiled;
  auto loaded = std::make_unique<CUmod_st>();
  loaded->device = current().back()->device;
  loaded->image = static_cast<const char *>(image);
  ++machine().state.live_modules;
  *module = machine().modules.emplace_back(std::move(loaded)).get();
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuModuleUnload(CUmodule module) {
  FAKE_ENTER("cuModuleUnload", context);
  if (CUresult spoiled = spoil_captures())
    return spoiled;
  --machine().state.live_modules;
  return machine().drop(machine().modules, module);
}

FAKE_ENTRY CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  FAKE_ENTER("cuModuleGetFunction", context);
  auto found = std::make_unique<CUfunc_st>();
  found->entry = name;
  found->device = module->device;
  if (!find_entry(module->image, name, found->param_bytes))
    return CUDA_ERROR_NOT_FOUND;
  *function = module->functions.emplace_back(std::move(found)).get();
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction) {
  FAKE_ENTER("cuFuncGetAttribute", context);
  auto setting = [&](const char *name, int otherwise) {
    auto found = machine().state.attributes.find(name);
    return found == machine().state.attributes.end() ? otherwise : found->second;
  };
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = setting("registers", 32); break;
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = setting("local", 0); break;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = setting("static_shared", 0); break;
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = setting("max_threads", 1024); break;
  default: *value = 0;
  }
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute attribute, int value) {
  FAKE_ENTER("cuFuncSetAttribute", context);
  machine().state.attributes[attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES ? "allowed_shared"
                                                                                          : "non_portable"] = value;
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *bytes) {
  FAKE_ENTER("cuFuncGetParamInfo", context);
  if (index >= function->param_bytes.size())
    return CUDA_ERROR_INVALID_VALUE;
  *offset = 0;
  *bytes = function->param_bytes[index];
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuFuncLoad(CUfunction) {
  FAKE_ENTER("cuFuncLoad", context);
  return spoil_captures();
}

FAKE_ENTRY CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **params, void **) {
  if (!machine().state.record)
    return CUDA_SUCCESS;
  FAKE_ENTER("cuLaunchKernelEx", context);
  if (current().back()->device != function->device)
    return CUDA_ERROR_INVALID_HANDLE;
  if (config->gridDimX == 0)
    return CUDA_ERROR_INVALID_VALUE;
  Launch launch;
  launch.entry = function->entry;
  launch.device = function->device;
  launch.grid = config->gridDimX;
  launch.block = config->blockDimX;
  launch.shared_bytes = config->sharedMemBytes;
  launch.stream = config->hStream;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
      launch.cluster = config->attrs[i].value.clusterDim.x;
    if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
      launch.early = config->attrs[i].value.programmaticStreamSerializationAllowed != 0;
  }
  for (size_t i = 0; i < function->param_bytes.size(); ++i) {
    auto *bytes = static_cast<unsigned char *>(params[i]);
    launch.params.emplace_back(bytes, bytes + function->param_bytes[i]);
  }
  CUstream_st *stream = config->hStream;
  if (stream && stream->capturing) {
    if (stream->invalidated)
      return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    launch.captured = true;
    stream->graph->entries.push_back(launch.entry);
  }
  machine().state.launches.push_back(std::move(launch));
  return CUDA_SUCCESS;
}

FAKE_ENTRY CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, uint32_t rank, void *base,
                                           const uint64_t *dims, const uint64_t *strides, const uint32_t *box,
                                           const uint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle swizzle,
                                           CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  FAKE_ENTER("cuTensorMapEncodeTiled", context);
  if (!strides)
    return CUDA_ERROR_INVALID_VALUE;
  machine().state.maps.push_back({type,
                                  reinterpret_cast<uint64_t>(base),
                                  {dims, dims + rank},
                                  {strides, strides + rank - 1},
                                  {box, box + rank},
                                  swizzle});
  map->opaque[0] = machine().state.maps.size();
  map->opaque[1] = reinterpret_cast<uint64_t>(base);
  return CUDA_SUCCESS;
}
