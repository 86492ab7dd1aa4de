// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The driver API apart from kernels: devices, memory, capture and replay, tensor maps, refusals of launches.
#include "test/runtime/emulator/emulated.h"

#include <catch2/catch.hpp>

using namespace tegula::emulator::test;

namespace {

const char *kAddOne =
    ".version 8.0\n.target sm_80\n.address_size 64\n.global .align 4 .u32 counter = 5;\n"
    ".visible .entry add_one(.param .u64 p)\n.maxntid 64\n{\n.reg .b32 %r<3>;.reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;\n"
    "ld.global.u32 %r2, [%rd3]; add.s32 %r2, %r2, 1; st.global.u32 [%rd3], %r2; ret;\n}\n";

CUresult encode(CUtensorMap &m, CUdeviceptr base, uint64_t stride, uint32_t box, CUtensorMapSwizzle swizzle) {
  uint64_t dims[] = {64, 64}, strides[] = {stride};
  uint32_t boxes[] = {box, 8}, steps[] = {1, 1};
  return cuTensorMapEncodeTiled(&m, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, reinterpret_cast<void *>(base), dims, strides,
                                boxes, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

} // namespace

TEST_CASE("there are two devices, a Hopper and a Blackwell") {
  REQUIRE(cuInit(0) == CUDA_SUCCESS);
  int count = 0, major = 0;
  REQUIRE(cuDeviceGetCount(&count) == CUDA_SUCCESS);
  CHECK(count == 2);
  REQUIRE(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0) == CUDA_SUCCESS);
  CHECK(major == 9);
  REQUIRE(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 1) == CUDA_SUCCESS);
  CHECK(major == 10);
}

TEST_CASE_METHOD(Emulated, "a captured launch runs at each replay and not before") {
  REQUIRE(load(kAddOne) == CUDA_SUCCESS);
  auto p = upload(std::vector<int>(64));
  CUstream s = nullptr;
  REQUIRE(cuStreamCreateWithPriority(&s, CU_STREAM_NON_BLOCKING, 0) == CUDA_SUCCESS);
  REQUIRE(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) == CUDA_SUCCESS);
  void *params[] = {&p};
  CUlaunchConfig c{1, 1, 1, 64, 1, 1, 0, s, nullptr, 0};
  REQUIRE(cuMemsetD32Async(p, 10, 64, s) == CUDA_SUCCESS);
  REQUIRE(cuLaunchKernelEx(&c, function("add_one"), params, nullptr) == CUDA_SUCCESS);
  REQUIRE(cuLaunchKernelEx(&c, function("add_one"), params, nullptr) == CUDA_SUCCESS);
  CUgraph graph = nullptr;
  REQUIRE(cuStreamEndCapture(s, &graph) == CUDA_SUCCESS);
  CHECK(download<int>(p, 1)[0] == 0);
  size_t nodes = 0;
  REQUIRE(cuGraphGetNodes(graph, nullptr, &nodes) == CUDA_SUCCESS);
  CHECK(nodes == 3);
  CUgraphExec exec = nullptr;
  REQUIRE(cuGraphInstantiateWithFlags(&exec, graph, 0) == CUDA_SUCCESS);
  for (int i = 0; i < 2; ++i) {
    REQUIRE(cuGraphLaunch(exec, s) == CUDA_SUCCESS);
    CHECK(download<int>(p, 64) == std::vector<int>(64, 12));
  }
  CHECK(cuGraphExecDestroy(exec) == CUDA_SUCCESS);
  CHECK(cuGraphDestroy(graph) == CUDA_SUCCESS);
  CHECK(cuStreamDestroy_v2(s) == CUDA_SUCCESS);
}

TEST_CASE_METHOD(Emulated, "an allocation during a capture spoils it") {
  CUstream s = nullptr;
  REQUIRE(cuStreamCreateWithPriority(&s, CU_STREAM_NON_BLOCKING, 0) == CUDA_SUCCESS);
  REQUIRE(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_SUCCESS);
  CUdeviceptr p = 0;
  CHECK(cuMemAlloc_v2(&p, 16) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  CUgraph graph = nullptr;
  CHECK(cuStreamEndCapture(s, &graph) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  CHECK(cuStreamDestroy_v2(s) == CUDA_SUCCESS);
}

TEST_CASE_METHOD(Emulated, "a variable of a module has an address and its initial value") {
  REQUIRE(load(kAddOne) == CUDA_SUCCESS);
  CUmodule m = nullptr;
  REQUIRE(cuModuleLoadDataEx(&m, kAddOne, 0, nullptr, nullptr) == CUDA_SUCCESS);
  CUdeviceptr at = 0;
  size_t bytes = 0;
  REQUIRE(cuModuleGetGlobal_v2(&at, &bytes, m, "counter") == CUDA_SUCCESS);
  CHECK(bytes == 4);
  CHECK(download<int>(at, 1)[0] == 5);
  CHECK(cuModuleUnload(m) == CUDA_SUCCESS);
}

TEST_CASE_METHOD(Emulated, "launches that the kernel does not allow are refused") {
  REQUIRE(load(kAddOne) == CUDA_SUCCESS);
  auto p = allocate(4096);
  CHECK(run("add_one", {1}, {65}, p) == CUDA_ERROR_INVALID_VALUE);             // .maxntid 64
  CHECK(run("add_one", {1, 70000}, {1}, p) == CUDA_ERROR_INVALID_VALUE);       // grid.y
  CHECK(run("add_one", {1}, {32}, 50000u, Dim{}, p) == CUDA_SUCCESS);          // the attribute is raised by the harness
  CHECK(run("add_one", {3}, {32}, 0u, Dim{2}, p) == CUDA_ERROR_INVALID_VALUE); // grid % cluster
  CHECK(run("add_one", {16}, {32}, 0u, Dim{16}, p) == CUDA_ERROR_INVALID_CLUSTER_SIZE);
}

TEST_CASE_METHOD(Emulated, "tensor maps that the driver refuses are refused") {
  auto base = allocate(64 * 64 * 2);
  CUtensorMap m;
  CHECK(encode(m, base, 128, 64, CU_TENSOR_MAP_SWIZZLE_128B) == CUDA_SUCCESS);
  CHECK(encode(m, base + 8, 128, 64, CU_TENSOR_MAP_SWIZZLE_128B) == CUDA_ERROR_INVALID_VALUE); // base
  CHECK(encode(m, base, 130, 64, CU_TENSOR_MAP_SWIZZLE_128B) == CUDA_ERROR_INVALID_VALUE);     // stride
  CHECK(encode(m, base, 128, 64, CU_TENSOR_MAP_SWIZZLE_64B) == CUDA_ERROR_INVALID_VALUE);      // wider than the span
  CHECK(encode(m, base, 128, 7, CU_TENSOR_MAP_SWIZZLE_NONE) == CUDA_ERROR_INVALID_VALUE);      // row of 14 bytes
}

TEST_CASE_METHOD(Emulated, "errors have names and words") {
  const char *text = nullptr;
  REQUIRE(cuGetErrorName(CUDA_ERROR_MISALIGNED_ADDRESS, &text) == CUDA_SUCCESS);
  CHECK(std::string(text) == "CUDA_ERROR_MISALIGNED_ADDRESS");
  CHECK(cuGetErrorString(static_cast<CUresult>(12345), &text) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE_METHOD(Emulated, "initialisers take an address with an offset, and a few values of an array of 68 GB") {
  REQUIRE(load(R"(.version 8.0
.target sm_90
.address_size 64
.global .align 4 .b8 big[68000000000] = {7};
.const .align 4 .b8 c[8] = {1, 0, 0, 0, 5};
.global .align 8 .u64 cp = generic(c)+4;
.visible .entry k(.param .u64 out) {
  .reg .b64 %rd<3>; .reg .b32 %r<3>;
  ld.param.u64 %rd0, [out];
  ld.global.u64 %rd1, [cp]; ld.u32 %r0, [%rd1]; ld.global.u32 %r1, [big];
  st.global.v2.u32 [%rd0], {%r0, %r1};
  ret;
})") == CUDA_SUCCESS);
  auto out = allocate(8);
  REQUIRE(run("k", {1}, {1}, out) == CUDA_SUCCESS);
  CHECK(download<uint32_t>(out, 2) == std::vector<uint32_t>{5, 7});
}

TEST_CASE_METHOD(Emulated, "halves are compared each by itself, bytes have distances") {
  REQUIRE(load(R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .b64 %rd0; .reg .b32 %r<12>;
  ld.param.u64 %rd0, [out];
  mov.b32 %r0, 0x3c004000; mov.b32 %r1, 0x40003c00; mov.b32 %r2, 0x3f804000; mov.b32 %r3, 0x40003f80;
  mov.b32 %r4, 0x3c007e00; mov.b32 %r5, 0x00ff0510; mov.b32 %r6, 0xff000803; mov.b32 %r7, 0x80; mov.b32 %r8, 0x7f;
  set.lt.f16x2.f16x2 %r0, %r0, %r1; set.gt.u32.bf16x2 %r1, %r2, %r3; set.neu.f16x2.f16x2 %r2, %r4, %r4;
  vabsdiff4.u32.u32.u32 %r3, %r5, %r6, %r7; vabsdiff4.u32.u32.u32.add %r4, %r5, %r6, 100;
  vabsdiff4.u32.s32.s32 %r5, %r7, %r8, 0;
  st.global.v4.u32 [%rd0], {%r0, %r1, %r2, %r3}; st.global.v2.u32 [%rd0+16], {%r4, %r5};
  ret;
})") == CUDA_SUCCESS);
  auto out = allocate(32);
  REQUIRE(run("k", {1}, {1}, out) == CUDA_SUCCESS);
  // (1, 2) < (2, 1) in the upper half; (1, 2) > (2, 1) in the lower; NaN differs from itself. Distances of the bytes
  // 00 ff 05 10 and ff 00 08 03: ff ff 03 0d, in all 526; of -128 and 127: 255.
  CHECK(download<uint32_t>(out, 6) == std::vector<uint32_t>{0x3c000000, 0xffff, 0x3c00, 0xffff030d, 626, 0xff});
}
