// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exports: memory pools. Each device has its default pool alone; the handle is the device.
#include "runtime/emulator/driver/state.h"

using namespace tegula::emulator;

namespace {

Device *pool_device(void *pool) {
  for (auto &d : state().devices)
    if (d.get() == pool)
      return d.get();
  return nullptr;
}

} // namespace

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
