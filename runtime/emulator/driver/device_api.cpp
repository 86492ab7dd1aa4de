// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exports: devices and their attributes.
#include "runtime/emulator/driver/state.h"

#include <cstdio>
#include <cstring>

using namespace tegula::emulator;

namespace {

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

// All devices are host memory, so each reaches the others'.
TEGULA_EXPORT CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
  if (!can)
    return CUDA_ERROR_INVALID_VALUE;
  if (!device_at(device) || !device_at(peer))
    return CUDA_ERROR_INVALID_DEVICE;
  *can = device != peer;
  return CUDA_SUCCESS;
}
