// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the driver is given for a launch, and how little is redone for the next one.
#include <cstdlib>
#include <new>
#include <thread>

#include "test/runtime/launch/gemm_fixture.h"

namespace {
thread_local int allocations = 0;
}
void *operator new(size_t bytes) {
  ++allocations;
  if (void *memory = std::malloc(bytes ? bytes : 1))
    return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }

namespace tegula {
namespace {

using F = GemmFixture;

const fake::Launch &last() { return fake::state().launches.back(); }

TEST_CASE_METHOD(F, "launch: grid, block, cluster, shared memory and parameters are the manifest's") {
  auto bound = load_gemm(context).bind(args());
  REQUIRE(bound);
  REQUIRE(bound->launch());
  CHECK(last().entry == "gemm_entry");
  CHECK(last().grid == 6); // 2 x 3 tiles
  CHECK(last().block == 384);
  CHECK(last().cluster == 2);
  CHECK_FALSE(last().early);
  CHECK(last().shared_bytes == 200000);
  CHECK(last().param<uint64_t>(2) == c.address());
  CHECK(last().param<int64_t>(3) == 384);
  CHECK(last().param<int64_t>(4) == 256);
  CHECK(last().param<int32_t>(5) == 384);
  CHECK(last().param<int64_t>(6) == 64);
  CHECK(last().param<float>(7) == 1.5f);
  // The fake writes the map's number and base into it.
  CHECK(last().param<cu::CUtensorMap>(0).opaque[1] == a.address());
  CHECK(last().param<cu::CUtensorMap>(1).opaque[1] == b.address());
}

TEST_CASE_METHOD(F, "launch: tensor maps have the extents, strides and box of the manifest") {
  REQUIRE(load_gemm(context).bind(args()));
  const fake::EncodedMap &map = fake::state().maps.at(1);
  CHECK(map.dims == std::vector<uint64_t>{64, 384});
  CHECK(map.strides == std::vector<uint64_t>{128});
  CHECK(map.box == std::vector<uint32_t>{64, 128});
}

TEST_CASE_METHOD(F, "launch: the map of a window has two dims more, whose strides sum up to 2^34 elements") {
  REQUIRE(load_gemm(context, [](KernelManifest &m) { m.tensor_maps[1].window = 0; }).bind(args()));
  const fake::EncodedMap &map = fake::state().maps.at(1);
  const uint64_t one = 1;
  CHECK(map.dims == std::vector<uint64_t>{64, one << 30, one << 31, one << 31});
  CHECK(map.strides == std::vector<uint64_t>{128, 128, (one << 35) - 128});
  CHECK(map.box == std::vector<uint32_t>{64, 128, 1, 1});
}

TEST_CASE_METHOD(F, "launch: a tensor of which TMA is to show windows has at most 2^30 rows") {
  dims[1].value = (int64_t{1} << 30) + 1;
  auto bound = load_gemm(context, [](KernelManifest &m) { m.tensor_maps[1].window = 0; }).bind(args());
  REQUIRE_FALSE(bound);
  CHECK(bound.error().message().find("the extent of B in N is 1073741825; TMA takes up to 1073741824 (2^30)") !=
        std::string::npos);
}

TEST_CASE_METHOD(F, "launch: the first factor is rounded up to the cluster") {
  dims[0].value = 257; // 3 tiles, in clusters of 2
  auto bound = load_gemm(context).bind(args());
  CHECK(bound->blocks() == 4 * 3);
}

TEST_CASE_METHOD(F, "launch: a persistent kernel starts no more blocks than fit in whole clusters") {
  fake::state().devices[0].multiprocessors = 7;
  Context small = fake::open_context();
  Kernel kernel = load_gemm(small, [](KernelManifest &m) { m.persistent = true; });
  CHECK(kernel.bind(args())->blocks() == 6);
  dims[0].value = 1280; // 10 x 3 tiles
  CHECK(kernel.bind(args())->blocks() == 6);
  dims[0].value = 128;
  dims[1].value = 128; // 1 tile: a whole cluster
  CHECK(kernel.bind(args())->blocks() == 2);
}

TEST_CASE_METHOD(F, "shape-08: an extent of 0 launches nothing, with success, also on a warm kernel") {
  Kernel kernel = load_gemm(context);
  auto bound = kernel.bind(args());
  REQUIRE(bound->launch());
  for (size_t i : {0u, 1u}) {
    auto empty = dims;
    empty[i].value = 0;
    dims.swap(empty);
    REQUIRE(bound->update(args()));
    CHECK(bound->launch());
    CHECK(kernel.launch(args()));
    dims.swap(empty);
  }
  CHECK(fake::state().launches.size() == 1);
  REQUIRE(bound->update(args()));
  REQUIRE(bound->launch());
  CHECK(fake::state().launches.size() == 2);
}

TEST_CASE_METHOD(F, "shape-02: an empty operand gets no tensor map and may be null; the kernel still runs") {
  dims[2].value = 0; // K
  globals[0].base = 0;
  globals[1].base = 0;
  REQUIRE(load_gemm(context).launch(args()));
  CHECK(fake::state().maps.empty());
  CHECK(fake::state().launches.size() == 1);
  CHECK(last().param<int64_t>(6) == 0);
}

TEST_CASE_METHOD(F, "launch: strides of extents of 1 are ignored") {
  dims[0].value = 1;
  strides_a[0] = 7;
  strides_c[0] = -3;
  CHECK(load_gemm(context).bind(args()));
}

TEST_CASE_METHOD(F, "launch: without strides a tensor is dense, its unit dim innermost") {
  Kernel kernel = load_gemm(context, [](KernelManifest &m) {
    m.globals[2].unit_dim = 0; // C by columns
    m.params[3] = {ParamKind::stride, "C", 1, DType::s64};
  });
  globals[2].strides = {};
  REQUIRE(kernel.launch(args()));
  CHECK(last().param<int64_t>(3) == 256);
}

TEST_CASE_METHOD(F, "launch: extents give the dims, and a list of arguments serves as well") {
  ArgumentList list;
  list.global("C", c.address(), DType::f32, {256, 384}, {400, 1}).scalar("alpha", 2);
  list.global("A", a.address(), DType::bf16, {256, 64}).global("B", b.address(), DType::bf16, {384, 64});
  REQUIRE(load_gemm(context).launch(list));
  CHECK(last().param<int64_t>(3) == 400);
  CHECK(last().param<float>(7) == 2.0f);
  CHECK(last().grid == 6);
}

TEST_CASE_METHOD(F, "launch-07: the kernel goes into the stream that was given") {
  auto stream = Stream::create(context);
  REQUIRE(load_gemm(context).launch(args(), {.stream = *stream, .start = {}}));
  CHECK(last().stream == stream->raw());
}

TEST_CASE_METHOD(F, "launch-01: a bound kernel is launched from a thread that never touched the driver") {
  auto bound = load_gemm(context).bind(args());
  bool worked = false;
  std::thread([&] { worked = bound->launch().ok(); }).join();
  CHECK(worked);
}

TEST_CASE_METHOD(F, "launch-02: a kernel of device 1 runs there while device 0 is current") {
  Context other = fake::open_context(1);
  Kernel kernel = load_gemm(other);
  for (auto &[arg, size] : {std::pair(&globals[0], 0), {&globals[1], 1}, {&globals[2], 2}})
    (void)size, arg->base = DeviceBuffer::allocate(other, 1 << 20)->address();
  const cu::DriverApi &api = context.driver().api();
  REQUIRE(api.cuCtxPushCurrent_v2(context.state()->context) == cu::CUDA_SUCCESS);
  CHECK(kernel.launch(args(), {}, {.pointers = Pointers::trusted}));
  CHECK(last().device == 1);
  cu::CUcontext popped = nullptr;
  (void)api.cuCtxPopCurrent_v2(&popped);
}

TEST_CASE_METHOD(F, "launch: an overlapped start is asked for where the kernel was compiled for it") {
  Kernel kernel = load_gemm(context);
  REQUIRE(kernel.launch(args(), {.stream = {}, .start = Start::overlapped}));
  CHECK(last().early);
  CHECK(last().cluster == 2);
  Kernel without = load_gemm(context, [](KernelManifest &m) {
    m.pdl = false;
    m.cluster = {1, 1, 1};
  });
  REQUIRE(without.launch(args(), {.stream = {}, .start = Start::overlapped}));
  CHECK_FALSE(last().early);
  CHECK(last().cluster == 0);
}

TEST_CASE_METHOD(F, "launch-04: a warm launch is one driver call beside the context's, and allocates nothing") {
  auto bound = load_gemm(context).bind(args());
  REQUIRE(bound->launch());
  auto &calls = fake::state().calls;
  calls.clear();
  REQUIRE(bound->launch());
  CHECK(calls["cuLaunchKernelEx"] == 1);
  CHECK(calls["cuTensorMapEncodeTiled"] == 0);
  CHECK(calls["cuPointerGetAttribute"] == 0);
  // Current, as in a thread that has launched before with CUDA's own calls.
  const cu::DriverApi &api = context.driver().api();
  REQUIRE(api.cuCtxPushCurrent_v2(context.state()->context) == cu::CUDA_SUCCESS);
  fake::state().record = false;
  const int before = allocations;
  REQUIRE(bound->update(args()));
  REQUIRE(bound->launch());
  CHECK(allocations == before);
  fake::state().record = true;
  cu::CUcontext popped = nullptr;
  (void)api.cuCtxPopCurrent_v2(&popped);
}

TEST_CASE_METHOD(F, "launch-04: an update with the same arguments asks the driver nothing") {
  auto bound = load_gemm(context).bind(args());
  fake::state().calls.clear();
  REQUIRE(bound->update(args()));
  CHECK(fake::state().calls.empty());
}

TEST_CASE_METHOD(F, "launch-04: moving one tensor encodes its map alone") {
  auto bound = load_gemm(context).bind(args());
  fake::state().maps.clear();
  DeviceBuffer other = buffer();
  REQUIRE(bound->set_base("A", other.address()));
  CHECK(fake::state().maps.size() == 1);
  REQUIRE(bound->launch());
  CHECK(last().param<cu::CUtensorMap>(0).opaque[1] == other.address());
  CHECK(last().param<cu::CUtensorMap>(1).opaque[1] == b.address());
}

TEST_CASE_METHOD(F, "launch: moving a tensor checks null, alignment and the name") {
  auto bound = load_gemm(context).bind(args());
  CHECK(bound->set_base("A", 0).error().message() == kCannotLaunch + "A is null");
  CHECK(bound->set_base("C", c.address() + 2).error().message().find("multiples of 4 bytes") != std::string::npos);
  CHECK(bound->set_base("D", 16).error().message() == "there is no global 'D' in 'gemm'");
}

TEST_CASE_METHOD(F, "launch: a refused update leaves the plan as it was") {
  auto bound = load_gemm(context).bind(args());
  dims[0].value = 512;
  globals[2].base = 0;
  CHECK_FALSE(bound->update(args()));
  REQUIRE(bound->launch());
  CHECK(last().param<int64_t>(4) == 256);
  CHECK(last().param<uint64_t>(2) == c.address());
}

TEST_CASE_METHOD(F, "launch-03: a captured launch runs at the replay, with nothing on any other stream") {
  auto bound = load_gemm(context).bind(args());
  auto stream = Stream::create(context);
  for (CaptureMode mode : {CaptureMode::thread_local_, CaptureMode::global}) {
    auto graph = Graph::capture(*stream, [&] { return bound->launch({.stream = *stream, .start = {}}); }, mode);
    REQUIRE(graph);
    CHECK(last().captured);
    auto executable = graph->instantiate();
    REQUIRE(executable->launch(*stream));
  }
  CHECK(fake::state().replayed == std::vector<std::string>{"gemm_entry", "gemm_entry"});
}

TEST_CASE_METHOD(F, "launch-03: the first bind, inside a capture, leaves it valid") {
  auto stream = Stream::create(context);
  Kernel kernel = load_gemm(context);
  CHECK(Graph::capture(
      *stream, [&] { return kernel.launch(args(), {.stream = *stream, .start = {}}); }, CaptureMode::global));
}

TEST_CASE_METHOD(F, "launch: what the driver refuses comes with the kernel's name") {
  auto bound = load_gemm(context).bind(args());
  fake::state().fail["cuLaunchKernelEx"] = cu::CUDA_ERROR_LAUNCH_FAILED;
  CHECK(bound->launch().error().message() == kCannotLaunch + "cuLaunchKernelEx: CUDA_ERROR_LAUNCH_FAILED (a fault)");
}

TEST_CASE_METHOD(F, "launch: a bound kernel outlives kernel and context") {
  auto bound = [&] { return load_gemm(fake::open_context()).bind(args()); }();
  REQUIRE(bound);
  BoundKernel moved = std::move(*bound);
  CHECK(moved.launch());
}

} // namespace
} // namespace tegula
