// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every refusal of a launch, with its exact words. Nothing reaches the driver.
#include "test/runtime/launch/gemm_fixture.h"

namespace tegula {
namespace {

using F = GemmFixture;

TEST_CASE_METHOD(F, "launch check: wrong dtype") {
  CHECK(refusal([](F &f) { f.globals[0].dtype = DType::fp16; }) == kCannotLaunch + "A is fp16; the kernel takes bf16");
}

TEST_CASE_METHOD(F, "launch check: wrong rank") {
  CHECK(refusal([](F &f) {
          f.strides_a = {4096, 64, 1};
          f.globals[0].strides = f.strides_a;
        }) == kCannotLaunch + "A has 3 strides; the kernel takes rank 2");
}

TEST_CASE_METHOD(F, "launch check: extents that disagree") {
  const std::vector<int64_t> extents = {256, 32};
  CHECK(refusal([&](F &f) { f.globals[0].extents = extents; }) ==
        kCannotLaunch + "A has extent 32 in K, which is 64 elsewhere");
}

TEST_CASE_METHOD(F, "launch check: extents of two tensors that disagree") {
  const std::vector<int64_t> of_a = {256, 64};
  const std::vector<int64_t> of_b = {384, 72};
  CHECK(refusal([&](F &f) {
          f.dims.clear();
          f.globals[0].extents = of_a;
          f.globals[1].extents = of_b;
        }) == kCannotLaunch + "B has extent 72 in K, which is 64 elsewhere");
}

TEST_CASE_METHOD(F, "limit-02: a null tensor") {
  CHECK(refusal([](F &f) { f.globals[0].base = 0; }) == kCannotLaunch + "A is null");
}

TEST_CASE_METHOD(F, "message-03: the null that a failed allocation left is named at the launch") {
  fake::state().memory_limit = 16;
  auto lost = DeviceBuffer::allocate(context, 1 << 20);
  REQUIRE_FALSE(lost);
  CHECK(refusal([](F &f) { f.globals[2].base = 0; }) == kCannotLaunch + "C is null");
}

TEST_CASE_METHOD(F, "launch check: misaligned base") {
  auto message = refusal([](F &f) { f.globals[1].base += 8; });
  CHECK(message.starts_with(kCannotLaunch + "B lies at 0x"));
  CHECK(message.ends_with("8; the kernel takes multiples of 16 bytes"));
}

TEST_CASE_METHOD(F, "launch check: negative stride") {
  CHECK(refusal([](F &f) { f.strides_a[0] = -64; }) ==
        kCannotLaunch + "the stride of A in M is -64; it must be at least 0");
}

TEST_CASE_METHOD(F, "launch check: stride off the promised multiple") {
  CHECK(refusal([](F &f) { f.strides_a[0] = 65; }) ==
        kCannotLaunch + "the stride of A in M is 130 bytes; the kernel takes multiples of 16");
}

TEST_CASE_METHOD(F, "launch check: unit stride that isn't") {
  CHECK(refusal([](F &f) { f.strides_c[1] = 2; }) ==
        kCannotLaunch + "the stride of C in N is 2 elements; the kernel takes 1");
}

TEST_CASE_METHOD(F, "launch check: an output that overlaps itself") {
  CHECK(refusal([](F &f) { f.strides_c[0] = 100; }) ==
        kCannotLaunch +
            "C is written and overlaps itself: its stride in M is 100, and dims of smaller stride span 384 elements");
}

TEST_CASE_METHOD(F, "launch check: an output that is broadcast") {
  CHECK(refusal([](F &f) { f.strides_c[0] = 0; }) ==
        kCannotLaunch + "C is written and overlaps itself: its stride in M is 0");
}

TEST_CASE_METHOD(F, "shape-15: an input may be broadcast and may overlap itself") {
  strides_a[0] = 0;
  strides_b[0] = 8;
  CHECK(load_gemm(context).bind(args()));
}

TEST_CASE_METHOD(F, "launch check: two dims that interleave without meeting are no overlap") {
  // 3 x 2 with strides 2 and 3: 0 3 2 5 4 7.
  Kernel kernel = load_gemm(context, [](KernelManifest &m) {
    m.globals[2].unit_dim = -1;
    m.globals[2].stride_divisors = {1, 1};
  });
  dims = {{"M", 3}, {"N", 2}, {"K", 64}};
  strides_c = {2, 3};
  CHECK(kernel.bind(args()));
  // 4 x 3 with the same strides: (3, 0) meets (0, 2).
  dims = {{"M", 4}, {"N", 3}, {"K", 64}};
  CHECK_FALSE(kernel.bind(args()));
}

TEST_CASE_METHOD(F, "limit-03: a TMA stride of 2^40 bytes is refused, 2^40 - 16 works") {
  strides_a[0] = (int64_t{1} << 39) - 8;
  dims[0].value = 2;
  CHECK(load_gemm(context).bind(args()));
  CHECK(refusal([](F &f) { f.strides_a[0] = int64_t{1} << 39; }) ==
        kCannotLaunch + "the stride of A in M is 1099511627776 bytes; TMA takes less than 1099511627776 (2^40)");
}

TEST_CASE_METHOD(F, "launch check: an offset beyond 64 bits") {
  CHECK(refusal([](F &f) { f.strides_c[0] = int64_t{1} << 57; }) ==
        kCannotLaunch + "the last element of C lies beyond 2^59 elements");
}

TEST_CASE_METHOD(F, "limit-01: a grid beyond 2^31 - 1 blocks is refused with value and limit") {
  Kernel kernel = load_gemm(context);
  dims[0].value = int64_t{1} << 31; // 2^24 tiles
  dims[1].value = 16384 + 128;      // 129 tiles
  strides_c[0] = 16384 + 128;
  auto bound = kernel.bind(args());
  REQUIRE_FALSE(bound);
  CHECK(bound.error().message() ==
        kCannotLaunch + "the grid has 2164260864 blocks; a launch takes up to 2147483647 (2^31 - 1)");
  dims[1].value = 16384 - 128;
  CHECK(kernel.bind(args()));
}

TEST_CASE_METHOD(F, "shape-07: a broken promise of divisibility is refused, naming dim, promise and value") {
  CHECK(load_gemm(context).bind(args()));
  CHECK(refusal([](F &f) { f.dims[2].value = 9; }) ==
        kCannotLaunch + "dim K is 9; the kernel was compiled for multiples of 8");
  CHECK(refusal([](F &f) { f.dims[2].value = 1; }) ==
        kCannotLaunch + "dim K is 1; the kernel was compiled for multiples of 8");
}

TEST_CASE_METHOD(F, "shape-09: a negative extent is refused in the same words on every path") {
  const std::string expected = kCannotLaunch + "dim M is -1; it must be at least 0";
  Kernel kernel = load_gemm(context);
  auto bound = kernel.bind(args());
  REQUIRE(bound);
  dims[0].value = -1;
  CHECK(kernel.bind(args()).error().message() == expected);
  CHECK(kernel.launch(args()).error().message() == expected);
  CHECK(bound->update(args()).error().message() == expected);
  auto stream = Stream::create(context);
  auto graph = Graph::capture(*stream, [&] { return kernel.launch(args(), {.stream = *stream, .start = {}}); });
  REQUIRE_FALSE(graph);
  CHECK(graph.error().message() == expected);
  CHECK(fake::state().launches.empty());
}

TEST_CASE_METHOD(F, "launch check: a dim that the kernel takes in 32 bits") {
  CHECK(refusal([](F &f) {
          f.dims[1].value = int64_t{1} << 31;
          f.strides_c[0] = int64_t{1} << 31;
        }).find("dim N is 2147483648; the kernel takes it as s32, up to 2147483647") != std::string::npos);
}

TEST_CASE_METHOD(F, "launch check: names that are unknown, missing or given twice") {
  CHECK(refusal([](F &f) { f.dims.push_back({"Q", 1}); }) ==
        kCannotLaunch + "there is no dim 'Q'; the kernel has M, N, K");
  CHECK(refusal([](F &f) { f.dims.pop_back(), f.dims.push_back({"M", 256}); }) ==
        kCannotLaunch + "dim M is given twice");
  dims = {{"M", 256}, {"N", 384}};
  CHECK(refusal([](F &) {}) == kCannotLaunch + "dim K is not given");
  dims.push_back({"K", 64});
  CHECK(refusal([](F &f) { f.scalars.clear(); }) == kCannotLaunch + "scalar alpha is not given");
  scalars = {{"alpha", 1}};
  CHECK(refusal([](F &f) { f.globals.pop_back(); }) == kCannotLaunch + "global C is not given");
}

TEST_CASE_METHOD(F, "launch check: a scalar that doesn't fit its type") {
  CHECK(refusal([](F &f) { f.scalars[0].value = 16777217; }) ==
        kCannotLaunch + "scalar alpha is a s64; its value can't be a f32");
}

TEST_CASE_METHOD(F, "message-02: host memory and another device's are told apart") {
  static int on_the_host;
  const auto host = device_ptr(&on_the_host) & ~DevicePtr{15};
  auto message = refusal([&](F &f) { f.globals[2].base = host; });
  CHECK(message.starts_with(kCannotLaunch + "C lies at 0x"));
  CHECK(message.ends_with(", which no device can reach: it is host memory or was freed"));
  Context other = fake::open_context(1);
  auto there = DeviceBuffer::allocate(other, 1 << 20);
  CHECK(refusal([&](F &f) { f.globals[2].base = there->address(); }) ==
        kCannotLaunch + "C lies on device 1, the kernel is loaded on device 0 (Fake H200, sm_90)");
}

TEST_CASE_METHOD(F, "launch-02: pointers of another device are refused, naming both, whichever is current") {
  Context other = fake::open_context(1);
  auto there = DeviceBuffer::allocate(other, 1 << 20);
  const cu::DriverApi &api = other.driver().api();
  REQUIRE(api.cuCtxPushCurrent_v2(other.state()->context) == cu::CUDA_SUCCESS);
  CHECK(refusal([&](F &f) { f.globals[0].base = there->address(); }) ==
        kCannotLaunch + "A lies on device 1, the kernel is loaded on device 0 (Fake H200, sm_90)");
  cu::CUcontext popped = nullptr;
  (void)api.cuCtxPopCurrent_v2(&popped);
  // Where peer access makes it right, the caller may vouch for it.
  CHECK(load_gemm(context).bind(args(), {.pointers = Pointers::trusted}));
}

TEST_CASE_METHOD(F, "message-02: page-locked host memory is reached and taken") {
  auto pinned = PinnedBuffer::allocate(context, 1 << 20);
  globals[2].base = device_ptr(pinned->bytes().data());
  CHECK(load_gemm(context).bind(args()));
}

TEST_CASE_METHOD(F, "message-06: plain mistakes get messages of their own, all at once") {
  CHECK(refusal([](F &f) {
          f.globals[0].dtype = DType::f32;
          f.strides_b[0] = 65;
          f.globals[2].base = 0;
          f.dims[2].value = 60;
        }) == "cannot launch 'gemm', for 4 reasons:\n"
              "  - A is f32; the kernel takes bf16\n"
              "  - dim K is 60; the kernel was compiled for multiples of 8\n"
              "  - the stride of B in N is 130 bytes; the kernel takes multiples of 16\n"
              "  - C is null");
}

} // namespace
} // namespace tegula
