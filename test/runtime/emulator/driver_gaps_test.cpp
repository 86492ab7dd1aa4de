// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of the driver API that other people's programs make, and nulls where a result should go.
#include "test/runtime/emulator/emulated.h"

#include <catch2/catch.hpp>

using namespace tegula::emulator::test;

extern "C" {
struct CopyRows { // CUDA_MEMCPY2D of cuda.h
  size_t from_x, from_y;
  unsigned from_type;
  const void *from_host;
  CUdeviceptr from_device;
  void *from_array;
  size_t from_pitch, to_x, to_y;
  unsigned to_type;
  void *to_host;
  CUdeviceptr to_device;
  void *to_array;
  size_t to_pitch, width, height;
};
CUresult cuMemcpy2D_v2(const CopyRows *request);
CUresult cuMemsetD2D16_v2(CUdeviceptr to, size_t pitch, unsigned short v, size_t width, size_t height);
CUresult cuStreamAddCallback(CUstream s, void (*f)(CUstream, CUresult, void *), void *data, unsigned flags);
CUresult cuModuleGetFunctionCount(unsigned *count, CUmodule module);
CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned count, CUmodule module);
CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer);
CUresult cuGetProcAddress(const char *symbol, void **function, int version, uint64_t flags);
CUresult cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags, int *found);
CUresult cuStreamGetFlags(CUstream stream, unsigned *flags);
CUresult cuGraphCreate(CUgraph *graph, unsigned flags);
CUresult cuDeviceGetDefaultMemPool(void **pool, CUdevice device);
CUresult cuMemAllocFromPoolAsync(CUdeviceptr *at, size_t bytes, void *pool, CUstream stream);
CUresult cuFuncGetName(const char **name, CUfunction f);
}

TEST_CASE_METHOD(Emulated, "a part of a pitched image is copied to the host") {
  std::vector<uint8_t> image(64 * 4), part(3 * 5);
  for (size_t i = 0; i < image.size(); ++i)
    image[i] = static_cast<uint8_t>(i);
  CopyRows r{};
  r.from_x = 7, r.from_y = 1, r.from_type = 2, r.from_device = upload(image), r.from_pitch = 64;
  r.to_type = 1, r.to_host = part.data(), r.width = 5, r.height = 3;
  REQUIRE(cuMemcpy2D_v2(&r) == CUDA_SUCCESS);
  for (size_t y = 0; y < 3; ++y)
    for (size_t x = 0; x < 5; ++x)
      CHECK(part[y * 5 + x] == (y + 1) * 64 + x + 7);
  r.height = 4; // a row beyond the image
  CHECK(cuMemcpy2D_v2(&r) == CUDA_ERROR_INVALID_VALUE);
  r.to_type = 9;
  CHECK(cuMemcpy2D_v2(&r) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE_METHOD(Emulated, "a fill of rows leaves what lies between them") {
  auto p = upload(std::vector<uint16_t>(12));
  REQUIRE(cuMemsetD2D16_v2(p, 8, 7, 3, 3) == CUDA_SUCCESS);
  CHECK(download<uint16_t>(p, 12) == std::vector<uint16_t>{7, 7, 7, 0, 7, 7, 7, 0, 7, 7, 7, 0});
  CHECK(cuMemsetD2D16_v2(p, 4, 7, 3, 3) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE_METHOD(Emulated, "a callback runs in its stream's order") {
  int seen = 0;
  REQUIRE(cuStreamAddCallback(
              nullptr, [](CUstream, CUresult r, void *at) { *static_cast<int *>(at) = r == CUDA_SUCCESS ? 3 : 4; },
              &seen, 0) == CUDA_SUCCESS);
  CHECK(seen == 3);
  CHECK(cuStreamAddCallback(nullptr, nullptr, nullptr, 0) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE_METHOD(Emulated, "a module tells its functions") {
  CUmodule m = nullptr;
  REQUIRE(cuModuleLoadDataEx(&m,
                             ".version 8.0\n.target sm_90\n.address_size 64\n.entry a() { ret; } .entry b() { ret; }",
                             0, nullptr, nullptr) == CUDA_SUCCESS);
  unsigned count = 0;
  REQUIRE(cuModuleGetFunctionCount(&count, m) == CUDA_SUCCESS);
  REQUIRE(count == 2);
  CUfunction f[2] = {};
  REQUIRE(cuModuleEnumerateFunctions(f, 2, m) == CUDA_SUCCESS);
  const char *name = nullptr;
  REQUIRE(cuFuncGetName(&name, f[1]) == CUDA_SUCCESS);
  CHECK(std::string(name) == "b");
  CHECK(cuModuleUnload(m) == CUDA_SUCCESS);
}

TEST_CASE_METHOD(Emulated, "a device reaches the other's memory but is no peer of itself") {
  int can = -1;
  REQUIRE(cuDeviceCanAccessPeer(&can, 0, 1) == CUDA_SUCCESS);
  CHECK(can == 1);
  REQUIRE(cuDeviceCanAccessPeer(&can, 1, 1) == CUDA_SUCCESS);
  CHECK(can == 0);
  CHECK(cuDeviceCanAccessPeer(&can, 0, 9) == CUDA_ERROR_INVALID_DEVICE);
}

TEST_CASE_METHOD(Emulated, "both forms of cuGetProcAddress find the same function") {
  void *a = nullptr, *b = nullptr;
  int found = -1;
  REQUIRE(cuGetProcAddress("cuMemAlloc", &a, 12000, 0) == CUDA_SUCCESS);
  REQUIRE(cuGetProcAddress_v2("cuMemAlloc", &b, 12000, 0, &found) == CUDA_SUCCESS);
  CHECK(a == b);
  CHECK(found == 0);
}

TEST_CASE_METHOD(Emulated, "a null where a result should go is an invalid value") {
  CHECK(cuMemGetInfo_v2(nullptr, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuDeviceGetCount(nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuDeviceGet(nullptr, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuDevicePrimaryCtxRetain(nullptr, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuCtxGetCurrent(nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuGetErrorName(CUDA_SUCCESS, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuGetErrorString(CUDA_SUCCESS, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuStreamGetFlags(nullptr, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuGraphCreate(nullptr, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuStreamEndCapture(nullptr, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuGetProcAddress_v2(nullptr, nullptr, 0, 0, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemcpy2D_v2(nullptr) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE_METHOD(Emulated, "memory comes from a device's default pool") {
  void *pool = nullptr;
  REQUIRE(cuDeviceGetDefaultMemPool(&pool, 0) == CUDA_SUCCESS);
  CUdeviceptr p = 0;
  REQUIRE(cuMemAllocFromPoolAsync(&p, 64, pool, nullptr) == CUDA_SUCCESS);
  CHECK(cuMemFree_v2(p) == CUDA_SUCCESS);
  CHECK(cuMemAllocFromPoolAsync(&p, 64, nullptr, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuDeviceGetDefaultMemPool(&pool, 7) == CUDA_ERROR_INVALID_DEVICE);
}
