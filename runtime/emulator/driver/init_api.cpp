// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exports: settings, initialisation, errors, looking up the exports themselves.
#include "runtime/emulator/driver/state.h"

#include <dlfcn.h>

#include <cstdio>

using namespace tegula::emulator;

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
