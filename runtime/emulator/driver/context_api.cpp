// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exports: primary and plain contexts, the stack of each thread, limits, access to peers.
#include "runtime/emulator/driver/state.h"

#include <algorithm>

using namespace tegula::emulator;

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

TEGULA_EXPORT CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  if (CUresult r = check_context(); r != CUDA_SUCCESS)
    return r;
  if (flags)
    return CUDA_ERROR_INVALID_VALUE;
  if (!peer)
    return CUDA_ERROR_INVALID_CONTEXT;
  return peer->device != current()->device ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
