// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that knows nothing but cuda.h, linked with -lcuda: host_program scale|overrun CAPABILITY...
// It expects one device for each compute capability that it is told, and prints what it saw.
#include <cuda.h>

#include <cstdio>
#include <cstring>
#include <vector>

namespace {

// y[i] = 3 y[i] in 64 threads, and the same without a look at the length.
const char *const kPtx = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry scale(.param .u64 y, .param .u32 n) {
  .reg .pred %p; .reg .b32 %i, %n, %v; .reg .b64 %a;
  mov.u32 %i, %tid.x;
  ld.param.u32 %n, [n];
  setp.ge.u32 %p, %i, %n;
  @%p ret;
  ld.param.u64 %a, [y];
  mad.wide.u32 %a, %i, 4, %a;
  ld.global.u32 %v, [%a];
  mul.lo.u32 %v, %v, 3;
  st.global.u32 [%a], %v;
  ret;
}
)";

int failures = 0;

void check(CUresult r, const char *call, CUresult wanted = CUDA_SUCCESS) {
  const char *name = nullptr, *wanted_name = nullptr;
  (void)cuGetErrorName(r, &name);
  (void)cuGetErrorName(wanted, &wanted_name);
  if (r != wanted)
    ++failures;
  if (r != wanted || r != CUDA_SUCCESS)
    std::printf("%s: %s, wanted %s\n", call, name, wanted_name);
}
#define CHECK_CALL(...) check((__VA_ARGS__), #__VA_ARGS__)

void expect(bool holds, const char *what) {
  if (holds)
    return;
  std::printf("does not hold: %s\n", what);
  ++failures;
}

void check_capability(CUdevice device, const char *wanted) {
  int major = 0, minor = 0;
  CHECK_CALL(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
  CHECK_CALL(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
  char text[16];
  std::snprintf(text, sizeof text, "%d.%d", major, minor);
  std::printf("device %d: %s\n", device, text);
  expect(std::strcmp(text, wanted) == 0, "the device has the capability of the command line");
}

/// Launches over `count` values that lie in memory for 40.
void scale(CUdevice device, unsigned count, CUresult wanted) {
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CUdeviceptr y = 0;
  std::vector<unsigned> values(40);
  for (unsigned i = 0; i < values.size(); ++i)
    values[i] = i;
  CHECK_CALL(cuDevicePrimaryCtxRetain(&context, device));
  CHECK_CALL(cuCtxSetCurrent(context));
  CHECK_CALL(cuModuleLoadData(&module, kPtx));
  CHECK_CALL(cuModuleGetFunction(&function, module, "scale"));
  CHECK_CALL(cuMemAlloc(&y, values.size() * 4));
  CHECK_CALL(cuMemcpyHtoD(y, values.data(), values.size() * 4));
  void *params[] = {&y, &count};
  CHECK_CALL(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, params, nullptr));
  check(cuCtxSynchronize(), "synchronisation", wanted);
  if (wanted != CUDA_SUCCESS)
    return;
  CHECK_CALL(cuMemcpyDtoH(values.data(), y, values.size() * 4));
  for (unsigned i = 0; i < values.size(); ++i)
    expect(values[i] == (i < count ? 3 * i : i), "the first values are tripled, the others as they were");
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  bool overrun = std::strcmp(argv[1], "overrun") == 0;
  int devices = 0;
  CHECK_CALL(cuInit(0));
  CHECK_CALL(cuDeviceGetCount(&devices));
  expect(devices == argc - 2, "there is a device for each capability of the command line");
  for (CUdevice d = 0; d < devices && d < argc - 2; ++d) {
    check_capability(d, argv[d + 2]);
    scale(d, overrun ? 41 : 33, overrun ? CUDA_ERROR_ILLEGAL_ADDRESS : CUDA_SUCCESS);
  }
  std::printf("%s\n", failures ? "failed" : "all as expected");
  return failures != 0;
}
