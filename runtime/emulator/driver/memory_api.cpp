// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exports: memory, copies, fills, pointers. A device address is a host address, so a copy is a memcpy that is checked.
#include "runtime/emulator/driver/state.h"

#include <cstdlib>
#include <cstring>

using namespace tegula::emulator;

namespace {

/// True if [address, +bytes) is memory of the device or known host memory; what no allocator of ours owns is the host's.
bool reachable(CUcontext c, uint64_t address, size_t bytes) {
  GlobalMemory &m = *c->device->memory;
  for (auto &d : state().devices)
    if (d->memory->owns(address))
      return bytes == 0 || d->memory->valid(address, bytes);
  return address != 0 && (bytes == 0 || !m.find(address) || m.valid(address, bytes));
}

CUresult copy(CUstream stream, uint64_t to, uint64_t from, size_t bytes) {
  CUcontext c = current();
  if (!c)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (bytes == 0)
    return check_context();
  if (!reachable(c, to, bytes) || !reachable(c, from, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  return submit(stream, 1, [=] {
    if (!reachable(c, to, bytes) || !reachable(c, from, bytes))
      return CUDA_ERROR_ILLEGAL_ADDRESS;
    std::memmove(reinterpret_cast<void *>(to), reinterpret_cast<const void *>(from), bytes);
    return CUDA_SUCCESS;
  });
}

template <class T> CUresult fill(CUstream stream, uint64_t to, T value, size_t count) {
  CUcontext c = current();
  if (!c)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (!reachable(c, to, count * sizeof(T)) || to % sizeof(T))
    return CUDA_ERROR_INVALID_VALUE;
  return submit(stream, 2, [=] {
    T *p = reinterpret_cast<T *>(to);
    std::fill(p, p + count, value);
    return CUDA_SUCCESS;
  });
}

template <class T>
CUresult fill_rows(CUstream stream, uint64_t to, size_t pitch, T value, size_t width, size_t height) {
  CUcontext c = current();
  if (!c)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (width == 0 || height == 0)
    return check_context();
  if (to % sizeof(T) || pitch % sizeof(T) || (height > 1 && pitch < width * sizeof(T)))
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t y = 0; y < height; ++y)
    if (!reachable(c, to + y * pitch, width * sizeof(T)))
      return CUDA_ERROR_INVALID_VALUE;
  return submit(stream, 2, [=] {
    for (size_t y = 0; y < height; ++y) {
      T *p = reinterpret_cast<T *>(to + y * pitch);
      std::fill(p, p + width, value);
    }
    return CUDA_SUCCESS;
  });
}

/// One side of a copy by rows, as CUDA_MEMCPY2D lays it out.
struct Side {
  size_t x, y;
  unsigned type; // 1 host, 2 device, 3 array, 4 unified
  uint64_t host, device, array;
  size_t pitch;
  [[nodiscard]] uint64_t row(size_t n) const { return (type == 1 ? host : device) + (y + n) * pitch + x; }
};
struct Copy2D {
  Side from, to;
  size_t width, height;
};
static_assert(sizeof(Copy2D) == 128);

CUresult copy_rows(CUstream stream, const Copy2D *given) {
  CUcontext c = current();
  if (!c)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (!given)
    return CUDA_ERROR_INVALID_VALUE;
  Copy2D r = *given;
  for (Side *s : {&r.from, &r.to}) {
    if (s->type < 1 || s->type > 4)
      return CUDA_ERROR_INVALID_VALUE;
    if (s->type == 3)
      return CUDA_ERROR_NOT_SUPPORTED; // arrays are not emulated
    s->pitch = s->pitch ? s->pitch : r.width;
    if (s->pitch < r.width)
      return CUDA_ERROR_INVALID_VALUE;
  }
  if (r.width == 0 || r.height == 0)
    return check_context();
  for (size_t n = 0; n < r.height; ++n)
    if (!reachable(c, r.from.row(n), r.width) || !reachable(c, r.to.row(n), r.width))
      return CUDA_ERROR_INVALID_VALUE;
  return submit(stream, 1, [r] {
    for (size_t n = 0; n < r.height; ++n)
      std::memmove(reinterpret_cast<void *>(r.to.row(n)), reinterpret_cast<const void *>(r.from.row(n)), r.width);
    return CUDA_SUCCESS;
  });
}

CUresult synchronous(CUresult r) { return r; } // all work is done when it is submitted

uint64_t address(const void *p) { return reinterpret_cast<uint64_t>(p); }

CUresult host_allocate(void **at, size_t bytes) {
  if (CUresult r = check_context(); r != CUDA_SUCCESS)
    return r;
  if (!at || bytes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  void *p = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  if (!p)
    return CUDA_ERROR_OUT_OF_MEMORY;
  std::memset(p, 0, bytes);
  DriverState &s = state();
  std::lock_guard lock(s.mutex);
  s.host_allocations.insert(p);
  for (auto &d : s.devices)
    d->memory->adopt_host(address(p), bytes);
  *at = p;
  return CUDA_SUCCESS;
}

} // namespace

TEGULA_EXPORT CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes) {
  if (!free_bytes || !total_bytes)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult r = check_context(); r != CUDA_SUCCESS)
    return r;
  GlobalMemory &m = *current()->device->memory;
  *free_bytes = m.capacity() - m.used();
  *total_bytes = m.capacity();
  return CUDA_SUCCESS;
}

TEGULA_EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *at, size_t bytes) {
  if (CUresult r = check_context(); r != CUDA_SUCCESS)
    return r;
  if (!at || bytes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (!allowed_while_capturing())
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  *at = current()->device->memory->allocate(bytes, 512, "");
  return *at ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

TEGULA_EXPORT CUresult cuMemFree_v2(CUdeviceptr at) {
  if (!at)
    return CUDA_SUCCESS;
  if (!state().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  for (auto &d : state().devices)
    if (d->memory->owns(at))
      return d->memory->release(at) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  return CUDA_ERROR_INVALID_VALUE;
}

TEGULA_EXPORT CUresult cuMemAllocAsync(CUdeviceptr *at, size_t bytes, CUstream) {
  if (!at || bytes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult r = check_context(); r != CUDA_SUCCESS)
    return r;
  *at = current()->device->memory->allocate(bytes, 512, "");
  return *at ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
TEGULA_EXPORT CUresult cuMemFreeAsync(CUdeviceptr at, CUstream) { return cuMemFree_v2(at); }
TEGULA_EXPORT CUresult cuMemAllocManaged(CUdeviceptr *at, size_t bytes, unsigned) { return cuMemAlloc_v2(at, bytes); }
TEGULA_EXPORT CUresult cuMemAllocPitch_v2(CUdeviceptr *at, size_t *pitch, size_t width, size_t height, unsigned) {
  if (!at || !pitch || width == 0 || height == 0 || width > (uint64_t{1} << 40) || height > (uint64_t{1} << 20))
    return CUDA_ERROR_INVALID_VALUE;
  *pitch = (width + 511) / 512 * 512;
  return cuMemAlloc_v2(at, *pitch * height);
}

TEGULA_EXPORT CUresult cuMemHostAlloc(void **at, size_t bytes, unsigned) { return host_allocate(at, bytes); }
TEGULA_EXPORT CUresult cuMemAllocHost_v2(void **at, size_t bytes) { return host_allocate(at, bytes); }
TEGULA_EXPORT CUresult cuMemFreeHost(void *at) {
  DriverState &s = state();
  std::lock_guard lock(s.mutex);
  if (!s.host_allocations.erase(at))
    return CUDA_ERROR_INVALID_VALUE;
  for (auto &d : s.devices)
    d->memory->drop_host(address(at));
  std::free(at);
  return CUDA_SUCCESS;
}
TEGULA_EXPORT CUresult cuMemHostRegister_v2(void *at, size_t bytes, unsigned) {
  if (!at || bytes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  for (auto &d : state().devices)
    d->memory->adopt_host(address(at), bytes);
  return CUDA_SUCCESS;
}
TEGULA_EXPORT CUresult cuMemHostUnregister(void *at) {
  bool known = false;
  for (auto &d : state().devices)
    known |= d->memory->drop_host(address(at));
  return known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
TEGULA_EXPORT CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *at, unsigned) {
  if (!device || !at)
    return CUDA_ERROR_INVALID_VALUE;
  *device = address(at);
  return CUDA_SUCCESS;
}

TEGULA_EXPORT CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t n) {
  return synchronous(copy(nullptr, to, address(from), n));
}
TEGULA_EXPORT CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t n) {
  return synchronous(copy(nullptr, address(to), from, n));
}
TEGULA_EXPORT CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t n) {
  return synchronous(copy(nullptr, to, from, n));
}
TEGULA_EXPORT CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t n) { return copy(nullptr, to, from, n); }
TEGULA_EXPORT CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s) {
  return copy(s, to, from, n);
}
TEGULA_EXPORT CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t n, CUstream s) {
  return copy(s, to, address(from), n);
}
TEGULA_EXPORT CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t n, CUstream s) {
  return copy(s, address(to), from, n);
}
TEGULA_EXPORT CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s) {
  return copy(s, to, from, n);
}

TEGULA_EXPORT CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char v, size_t n) {
  return fill<uint8_t>(nullptr, to, v, n);
}
TEGULA_EXPORT CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short v, size_t n) {
  return fill<uint16_t>(nullptr, to, v, n);
}
TEGULA_EXPORT CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned v, size_t n) {
  return fill<uint32_t>(nullptr, to, v, n);
}
TEGULA_EXPORT CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char v, size_t n, CUstream s) {
  return fill<uint8_t>(s, to, v, n);
}
TEGULA_EXPORT CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short v, size_t n, CUstream s) {
  return fill<uint16_t>(s, to, v, n);
}
TEGULA_EXPORT CUresult cuMemsetD32Async(CUdeviceptr to, unsigned v, size_t n, CUstream s) {
  return fill<uint32_t>(s, to, v, n);
}

TEGULA_EXPORT CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr at) {
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  if (!state().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  for (auto &d : state().devices) {
    auto a = d->memory->find(at);
    if (!a || !a->live)
      continue;
    switch (static_cast<int>(attribute)) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: *static_cast<CUcontext *>(value) = d->primary; return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *static_cast<unsigned *>(value) = a->host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case 4: // host pointer
      *static_cast<CUdeviceptr *>(value) = at;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: *static_cast<unsigned *>(value) = 0; return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *static_cast<int *>(value) = d->ordinal; return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: *static_cast<CUdeviceptr *>(value) = a->base; return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: *static_cast<size_t *>(value) = a->bytes; return CUDA_SUCCESS;
    default: return CUDA_ERROR_NOT_SUPPORTED;
    }
  }
  return CUDA_ERROR_INVALID_VALUE;
}

TEGULA_EXPORT CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr at) {
  for (auto &d : state().devices)
    if (auto a = d->memory->find(at); a && a->live) {
      if (base)
        *base = a->base;
      if (bytes)
        *bytes = a->bytes;
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_NOT_FOUND;
}

TEGULA_EXPORT CUresult cuMemsetD2D8_v2(CUdeviceptr to, size_t pitch, unsigned char v, size_t width, size_t height) {
  return fill_rows<uint8_t>(nullptr, to, pitch, v, width, height);
}
TEGULA_EXPORT CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char v, size_t width, size_t height,
                                         CUstream s) {
  return fill_rows<uint8_t>(s, to, pitch, v, width, height);
}

TEGULA_EXPORT CUresult cuMemsetD2D16_v2(CUdeviceptr to, size_t pitch, unsigned short v, size_t width, size_t height) {
  return fill_rows<uint16_t>(nullptr, to, pitch, v, width, height);
}
TEGULA_EXPORT CUresult cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short v, size_t width, size_t height,
                                          CUstream s) {
  return fill_rows<uint16_t>(s, to, pitch, v, width, height);
}

TEGULA_EXPORT CUresult cuMemsetD2D32_v2(CUdeviceptr to, size_t pitch, unsigned v, size_t width, size_t height) {
  return fill_rows<uint32_t>(nullptr, to, pitch, v, width, height);
}
TEGULA_EXPORT CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned v, size_t width, size_t height,
                                          CUstream s) {
  return fill_rows<uint32_t>(s, to, pitch, v, width, height);
}

TEGULA_EXPORT CUresult cuMemcpy2D_v2(const Copy2D *request) { return copy_rows(nullptr, request); }
TEGULA_EXPORT CUresult cuMemcpy2DUnaligned_v2(const Copy2D *request) { return copy_rows(nullptr, request); }
TEGULA_EXPORT CUresult cuMemcpy2DAsync_v2(const Copy2D *request, CUstream s) { return copy_rows(s, request); }

/// An attribute that an address does not have is left as it is, as in the driver.
TEGULA_EXPORT CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes, void **values,
                                              CUdeviceptr at) {
  if (count == 0 || !attributes || !values)
    return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < count; ++i)
    if (CUresult r = cuPointerGetAttribute(values[i], attributes[i], at); r == CUDA_ERROR_NOT_INITIALIZED)
      return r;
  return CUDA_SUCCESS;
}
