// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exports: initialisation, errors, devices and their attributes, contexts, looking up the exports themselves.
#include "runtime/emulator/driver/state.h"

#include <dlfcn.h>

#include <cstring>

using namespace tegula::emulator;

namespace {

Device *device_at(int ordinal) {
  auto &d = state().devices;
  return ordinal >= 0 && static_cast<size_t>(ordinal) < d.size() ? d[static_cast<size_t>(ordinal)].get() : nullptr;
}

struct Attribute {
  int id, value;
};
// CUdevice_attribute -> value of a chip with 228 KiB of shared memory an SM; what differs is below.
constexpr Attribute kAttributes[] = {
    {1, 1024},     {2, 1024},    {3, 1024},        {4, 64},     {5, 2147483647}, {6, 65535}, {7, 65535},  {8, 49152},
    {9, 65536},    {10, 32},     {11, 2147483647}, {12, 65536}, {13, 1980000},   {14, 512},  {15, 1},     {17, 0},
    {18, 0},       {19, 1},      {20, 0},          {31, 1},     {32, 0},         {33, 0},    {34, 0},     {35, 0},
    {36, 2619000}, {37, 5120},   {38, 50 << 20},   {39, 2048},  {40, 3},         {41, 1},    {50, 0},     {78, 1},
    {79, 1},       {80, 1},      {81, 233472},     {82, 65536}, {83, 1},         {84, 0},    {86, 1},     {87, 2},
    {88, 1},       {89, 1},      {90, 1},          {91, 1},     {92, 1},         {93, 1},    {94, 1},     {95, 1},
    {96, 0},       {97, 232448}, {99, 1},          {100, 0},    {101, 1},        {106, 32},  {111, 1024}, {115, 1},
    {119, 1},      {120, 1},     {121, 1},         {127, 1}};

} // namespace

TEGULA_EXPORT int tegula_emulator_configure(const char *devices) {
  DriverState &s = state();
  std::lock_guard lock(s.mutex);
  if (s.initialized)
    return s.settings.devices == devices ? 0 : 1;
  std::string before = s.settings.devices;
  s.settings.devices = devices;
  if (make_devices(s))
    return 0;
  s.settings.devices = before;
  return 1;
}

/// One setting by name, at any time: checks, seed, threads, budget. 0 on success.
TEGULA_EXPORT int tegula_emulator_set(const char *name, const char *value) {
  DriverState &s = state();
  std::lock_guard lock(s.mutex);
  return std::string(name) != "devices" && set_option(s.settings, name, value) ? 0 : 1;
}

TEGULA_EXPORT CUresult cuInit(unsigned flags) {
  DriverState &s = state();
  std::lock_guard lock(s.mutex);
  if (flags)
    return CUDA_ERROR_INVALID_VALUE;
  if (s.initialized)
    return CUDA_SUCCESS;
  if (s.devices.empty() && !make_devices(s)) {
    std::fprintf(stderr, "tegula emulator: '%s' is no list of sm_90a and sm_100a\n", s.settings.devices.c_str());
    return CUDA_ERROR_NO_DEVICE;
  }
  s.initialized = true;
  return CUDA_SUCCESS;
}

TEGULA_EXPORT CUresult cuDriverGetVersion(int *version) {
  if (!version)
    return CUDA_ERROR_INVALID_VALUE;
  *version = 13000;
  return CUDA_SUCCESS;
}

TEGULA_EXPORT CUresult cuGetErrorName(CUresult error, const char **text) {
  if (!text)
    return CUDA_ERROR_INVALID_VALUE;
  switch (static_cast<int>(error)) {
#define E(number, name, words)                                                                                         \
  case number: *text = #name; return CUDA_SUCCESS;
#include "runtime/emulator/driver/errors.def"
#undef E
  default: *text = nullptr; return CUDA_ERROR_INVALID_VALUE;
  }
}

TEGULA_EXPORT CUresult cuGetErrorString(CUresult error, const char **text) {
  if (!text)
    return CUDA_ERROR_INVALID_VALUE;
  switch (static_cast<int>(error)) {
#define E(number, name, words)                                                                                         \
  case number: *text = words; return CUDA_SUCCESS;
#include "runtime/emulator/driver/errors.def"
#undef E
  default: *text = nullptr; return CUDA_ERROR_INVALID_VALUE;
  }
}

TEGULA_EXPORT CUresult cuDeviceGetCount(int *count) {
  if (!count)
    return CUDA_ERROR_INVALID_VALUE;
  if (!state().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  *count = static_cast<int>(state().devices.size());
  return CUDA_SUCCESS;
}

TEGULA_EXPORT CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  if (!device)
    return CUDA_ERROR_INVALID_VALUE;
  if (!state().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (!device_at(ordinal))
    return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

TEGULA_EXPORT CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
  if (!name)
    return CUDA_ERROR_INVALID_VALUE;
  Device *d = device_at(device);
  if (!d || length <= 0)
    return d ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_DEVICE;
  std::snprintf(name, static_cast<size_t>(length), "Tegula emulator (%s)", d->arch.c_str());
  return CUDA_SUCCESS;
}

TEGULA_EXPORT CUresult cuDeviceGetUuid_v2(void *uuid, CUdevice device) {
  if (!uuid)
    return CUDA_ERROR_INVALID_VALUE;
  if (!device_at(device))
    return CUDA_ERROR_INVALID_DEVICE;
  std::memset(uuid, 0, 16);
  std::memcpy(uuid, "tegula-emu", 10);
  static_cast<char *>(uuid)[15] = static_cast<char>(device);
  return CUDA_SUCCESS;
}

TEGULA_EXPORT CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  if (!bytes)
    return CUDA_ERROR_INVALID_VALUE;
  Device *d = device_at(device);
  if (!d)
    return CUDA_ERROR_INVALID_DEVICE;
  *bytes = d->memory->capacity();
  return CUDA_SUCCESS;
}

TEGULA_EXPORT CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  Device *d = device_at(device);
  if (!d)
    return CUDA_ERROR_INVALID_DEVICE;
  int id = attribute;
  if (!value || id < 1 || id > 200)
    return CUDA_ERROR_INVALID_VALUE;
  *value = 0;
  if (id == 16)
    *value = static_cast<int>(d->sm_count);
  else if (id == 75)
    *value = static_cast<int>(d->major);
  else if (id == 76)
    *value = static_cast<int>(d->minor);
  else if ((id == 120 || id == 127) && d->major < 9)
    *value = 0;
  else
    for (const Attribute &a : kAttributes)
      if (a.id == id)
        *value = a.value;
  return CUDA_SUCCESS;
}

TEGULA_EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  if (!context)
    return CUDA_ERROR_INVALID_VALUE;
  DriverState &s = state();
  Device *d = device_at(device);
  if (!s.initialized || !d)
    return s.initialized ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_NOT_INITIALIZED;
  std::lock_guard lock(s.mutex);
  if (!d->primary) {
    d->primary = new CUctx_st;
    d->primary->device = d;
  }
  ++d->primary_users;
  *context = d->primary;
  return CUDA_SUCCESS;
}

TEGULA_EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  DriverState &s = state();
  Device *d = device_at(device);
  if (!d || d->primary_users == 0)
    return d ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_DEVICE;
  std::lock_guard lock(s.mutex);
  // The context's object stays for threads that still hold it; the last release clears its error.
  if (--d->primary_users == 0)
    d->primary->sticky = CUDA_SUCCESS;
  return CUDA_SUCCESS;
}

TEGULA_EXPORT CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
  Device *d = device_at(device);
  if (!d)
    return CUDA_ERROR_INVALID_DEVICE;
  if (d->primary)
    d->primary->sticky = CUDA_SUCCESS;
  return CUDA_SUCCESS;
}

TEGULA_EXPORT CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active) {
  if (!flags || !active)
    return CUDA_ERROR_INVALID_VALUE;
  Device *d = device_at(device);
  if (!d)
    return CUDA_ERROR_INVALID_DEVICE;
  *flags = 0;
  *active = d->primary_users > 0;
  return CUDA_SUCCESS;
}

TEGULA_EXPORT CUresult cuCtxCreate_v2(CUcontext *context, unsigned, CUdevice device) {
  if (!context)
    return CUDA_ERROR_INVALID_VALUE;
  Device *d = device_at(device);
  if (!state().initialized || !d)
    return state().initialized ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_NOT_INITIALIZED;
  *context = new CUctx_st;
  (*context)->device = d;
  context_stack().push_back(*context);
  return CUDA_SUCCESS;
}

TEGULA_EXPORT CUresult cuCtxCreate_v4(CUcontext *context, void *, unsigned flags, CUdevice device) {
  return cuCtxCreate_v2(context, flags, device);
}

TEGULA_EXPORT CUresult cuCtxDestroy_v2(CUcontext context) {
  if (!context)
    return CUDA_ERROR_INVALID_CONTEXT;
  std::erase(context_stack(), context);
  delete context;
  return CUDA_SUCCESS;
}

TEGULA_EXPORT CUresult cuCtxGetCurrent(CUcontext *context) {
  if (!context)
    return CUDA_ERROR_INVALID_VALUE;
  if (!state().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  *context = current();
  return CUDA_SUCCESS;
}

TEGULA_EXPORT CUresult cuCtxSetCurrent(CUcontext context) {
  if (!state().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  auto &stack = context_stack();
  if (!stack.empty())
    stack.pop_back();
  if (context)
    stack.push_back(context);
  return CUDA_SUCCESS;
}

TEGULA_EXPORT CUresult cuCtxPushCurrent_v2(CUcontext context) {
  if (!context)
    return CUDA_ERROR_INVALID_VALUE;
  context_stack().push_back(context);
  return CUDA_SUCCESS;
}

TEGULA_EXPORT CUresult cuCtxPopCurrent_v2(CUcontext *context) {
  if (context_stack().empty())
    return CUDA_ERROR_INVALID_CONTEXT;
  if (context)
    *context = current();
  context_stack().pop_back();
  return CUDA_SUCCESS;
}

TEGULA_EXPORT CUresult cuCtxGetDevice(CUdevice *device) {
  if (!device)
    return CUDA_ERROR_INVALID_VALUE;
  if (!current())
    return CUDA_ERROR_INVALID_CONTEXT;
  *device = current()->device->ordinal;
  return CUDA_SUCCESS;
}

TEGULA_EXPORT CUresult cuCtxSynchronize() {
  if (CUresult r = check_context(); r != CUDA_SUCCESS)
    return r;
  return allowed_while_capturing() ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

TEGULA_EXPORT CUresult cuCtxSetLimit(int limit, size_t value) {
  if (!current())
    return CUDA_ERROR_INVALID_CONTEXT;
  if (limit == 0) // CU_LIMIT_STACK_SIZE
    current()->stack_bytes = std::max<size_t>(value, 1024);
  return CUDA_SUCCESS;
}

TEGULA_EXPORT CUresult cuCtxGetLimit(size_t *value, int limit) {
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  if (!current())
    return CUDA_ERROR_INVALID_CONTEXT;
  *value = limit == 0 ? current()->stack_bytes : 0;
  return CUDA_SUCCESS;
}

TEGULA_EXPORT CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  if (least)
    *least = 0;
  if (greatest)
    *greatest = -5;
  return CUDA_SUCCESS;
}

TEGULA_EXPORT CUresult cuGetProcAddress_v2(const char *symbol, void **function, int, uint64_t, int *found) {
  if (!symbol || !function)
    return CUDA_ERROR_INVALID_VALUE;
  static void *self = [] {
    Dl_info info{};
    dladdr(reinterpret_cast<void *>(&tegula_emulator_configure), &info);
    return dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  }();
  *function = nullptr;
  for (const char *suffix : {"_v4", "_v3", "_v2", ""})
    if (self && !*function)
      *function = dlsym(self, (std::string(symbol) + suffix).c_str());
  if (found)
    *found = *function ? 0 : 1; // success, symbol not found
  return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
/// The older form does not say why a name was not found.
TEGULA_EXPORT CUresult cuGetProcAddress(const char *symbol, void **function, int version, uint64_t flags) {
  return cuGetProcAddress_v2(symbol, function, version, flags, nullptr);
}

// All devices are host memory, so each reaches the others'.
TEGULA_EXPORT CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
  if (!can)
    return CUDA_ERROR_INVALID_VALUE;
  if (!device_at(device) || !device_at(peer))
    return CUDA_ERROR_INVALID_DEVICE;
  *can = device != peer;
  return CUDA_SUCCESS;
}

namespace {
/// Each device has its default pool alone; the handle is the device.
Device *pool_device(void *pool) {
  for (auto &d : state().devices)
    if (d.get() == pool)
      return d.get();
  return nullptr;
}
} // namespace

TEGULA_EXPORT CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  if (CUresult r = check_context(); r != CUDA_SUCCESS)
    return r;
  if (flags)
    return CUDA_ERROR_INVALID_VALUE;
  if (!peer)
    return CUDA_ERROR_INVALID_CONTEXT;
  return peer->device != current()->device ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

TEGULA_EXPORT CUresult cuDeviceGetDefaultMemPool(void **pool, CUdevice device) {
  if (!pool)
    return CUDA_ERROR_INVALID_VALUE;
  Device *d = device_at(device);
  if (!d)
    return CUDA_ERROR_INVALID_DEVICE;
  *pool = d;
  return CUDA_SUCCESS;
}
TEGULA_EXPORT CUresult cuDeviceGetMemPool(void **pool, CUdevice device) {
  return cuDeviceGetDefaultMemPool(pool, device);
}
// Freed memory goes back at once, so there is nothing to keep or to trim.
TEGULA_EXPORT CUresult cuMemPoolTrimTo(void *pool, size_t) {
  return pool_device(pool) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
TEGULA_EXPORT CUresult cuMemPoolSetAttribute(void *pool, int, void *value) {
  return pool_device(pool) && value ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
TEGULA_EXPORT CUresult cuMemAllocFromPoolAsync(CUdeviceptr *at, size_t bytes, void *pool, CUstream) {
  if (CUresult r = check_context(); r != CUDA_SUCCESS)
    return r;
  Device *d = pool_device(pool);
  if (!at || bytes == 0 || !d)
    return CUDA_ERROR_INVALID_VALUE;
  *at = d->memory->allocate(bytes, 512, "");
  return *at ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
