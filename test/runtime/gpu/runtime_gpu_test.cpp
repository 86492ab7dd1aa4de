// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runtime on a real GPU: that the driver agrees with what the fake driver's tests take for granted. Skips, saying
// so, where there is none. TEGULA_TEST_KERNELS may name the folder of the AOT example's kernels when it was moved.
#include <tegula/runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>
#include <sys/wait.h>
#include <unistd.h>

namespace tegula {
namespace {

constexpr int64_t kCount = 100'003;

// Empty, with a warning, where there is no GPU.
std::optional<Context> gpu() {
  auto context = open_device("cuda:0");
  if (!context) {
    WARN("skipped, no GPU here: " << context.error().message());
    return std::nullopt;
  }
  return std::move(*context);
}

Kernel load_saxpy(const Context &context) {
  const char *moved = std::getenv("TEGULA_TEST_KERNELS");
  auto bundle = Bundle::open(moved ? moved : TEGULA_AOT_KERNELS);
  REQUIRE(bundle);
  auto kernel = bundle->load(context, "saxpy");
  if (!kernel)
    FAIL(kernel.error().message());
  return std::move(*kernel);
}

struct Saxpy {
  explicit Saxpy(const Context &context_)
      : context(context_), kernel(load_saxpy(context_)), x(std::move(*DeviceBuffer::allocate(context_, kCount * 4))),
        y(std::move(*DeviceBuffer::allocate(context_, kCount * 4))), stream(std::move(*Stream::create(context_))) {
    reset();
    args.global("x", x.address(), DType::f32, {kCount}).global("y", y.address(), DType::f32, {kCount});
    args.scalar("alpha", 2.0f);
  }
  void reset() {
    host.assign(kCount, 3.0f);
    REQUIRE(x.upload(std::as_bytes(std::span(host))));
    REQUIRE(y.fill(0));
    REQUIRE(context.synchronize());
  }
  // Each run adds 6 to every element.
  bool ran(int times) {
    REQUIRE(stream.synchronize());
    REQUIRE(y.download(std::as_writable_bytes(std::span(host))));
    return std::all_of(host.begin(), host.end(), [&](float v) { return v == 6.0f * static_cast<float>(times); });
  }
  const Context &context;
  Kernel kernel;
  DeviceBuffer x, y;
  Stream stream;
  std::vector<float> host;
  ArgumentList args;
};

TEST_CASE("cache-13, GPU: a look leaves the process able to fork and use the GPU in the child") {
  auto driver = Driver::open();
  if (!driver) {
    WARN("skipped, no driver here: " << driver.error().message());
    return;
  }
  auto devices = look_at_devices(*driver);
  if (!devices || devices->empty()) {
    WARN("skipped, no GPU here");
    return;
  }
  CHECK_FALSE(driver->initialized());
  pid_t child = fork();
  if (child == 0)
    _exit(Context::open(*driver).ok() ? 7 : 8);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WEXITSTATUS(status) == 7);
}

TEST_CASE("GPU: a kernel from PTX runs, also from a fresh thread (launch-01) and in its stream (launch-07)") {
  auto context = gpu();
  if (!context)
    return;
  Saxpy saxpy(*context);
  REQUIRE(saxpy.kernel.launch(saxpy.args, {.stream = saxpy.stream, .start = {}}));
  CHECK(saxpy.ran(1));
  auto bound = saxpy.kernel.bind(saxpy.args);
  REQUIRE(bound);
  bool worked = false;
  std::thread([&] { worked = bound->launch({.stream = saxpy.stream, .start = {}}).ok(); }).join();
  CHECK(worked);
  CHECK(saxpy.ran(2));
}

TEST_CASE("GPU: a launch is captured, replayed and updated (launch-03)") {
  auto context = gpu();
  if (!context)
    return;
  for (CaptureMode mode : {CaptureMode::thread_local_, CaptureMode::global}) {
    Saxpy saxpy(*context);
    std::optional<Kernel> cold; // kept, because a graph doesn't keep its kernels loaded
    auto unrelated = std::make_optional(std::move(*DeviceBuffer::allocate(*context, 16)));
    auto graph = Graph::capture(
        saxpy.stream,
        [&]() -> Result<void> {
          // Loading and binding for the first time, and freeing, in the capture.
          cold = load_saxpy(*context);
          unrelated.reset();
          TEGULA_CHECK(cold->launch(saxpy.args, {.stream = saxpy.stream, .start = {}}));
          return saxpy.kernel.launch(saxpy.args, {.stream = saxpy.stream, .start = {}});
        },
        mode);
    if (!graph)
      FAIL(graph.error().message());
    CHECK(*graph->node_count() == 2);
    auto executable = graph->instantiate();
    REQUIRE(executable);
    CHECK(executable->update(*graph));
    CHECK(saxpy.ran(0));
  }
  Saxpy saxpy(*context);
  auto graph = Graph::capture(saxpy.stream,
                              [&] { return saxpy.kernel.launch(saxpy.args, {.stream = saxpy.stream, .start = {}}); });
  REQUIRE(graph);
  auto executable = graph->instantiate();
  REQUIRE(executable->launch(saxpy.stream));
  REQUIRE(executable->launch(saxpy.stream));
  CHECK(saxpy.ran(2));
}

TEST_CASE("GPU: host memory is told from device memory (message-02), page-locked memory is taken") {
  auto context = gpu();
  if (!context)
    return;
  Saxpy saxpy(*context);
  std::vector<float> host(kCount);
  ArgumentList args;
  args.global("x", device_ptr(host.data()), DType::f32, {kCount}).global("y", saxpy.y.address(), DType::f32, {kCount});
  args.scalar("alpha", 1.0f);
  auto refused = saxpy.kernel.bind(args);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message().find("which no device can reach") != std::string::npos);
  auto pinned = PinnedBuffer::allocate(*context, kCount * 4);
  ArgumentList good;
  good.global("x", device_ptr(pinned->bytes().data()), DType::f32, {kCount});
  good.global("y", saxpy.y.address(), DType::f32, {kCount}).scalar("alpha", 1.0f);
  CHECK(saxpy.kernel.bind(good));
}

TEST_CASE("GPU: PTX that the driver refuses comes with its log, PTX too new with both versions (aot-02)") {
  auto context = gpu();
  if (!context)
    return;
  std::string bad = ".version 7.8\n.target sm_80\n.address_size 64\n.entry k() { nonsense; }\n";
  auto module = Module::load(*context, std::as_bytes(std::span(bad)));
  REQUIRE_FALSE(module);
  CHECK(module.error().message().find("nonsense") != std::string::npos);
  std::string future = ".version 99.9\n.target sm_80\n.address_size 64\n.entry k() { ret; }\n";
  auto newer = Module::load(*context, std::as_bytes(std::span(future)));
  REQUIRE_FALSE(newer);
  CHECK(newer.error().code() == ErrorCode::unsupported);
  CHECK(newer.error().message().find("the PTX is version 99.9, the driver (CUDA ") != std::string::npos);
}

TEST_CASE("GPU: the driver takes the tensor maps that our rules let pass, at their limits (limit-03)") {
  auto context = gpu();
  if (!context)
    return;
  auto memory = DeviceBuffer::allocate(*context, 4096);
  auto encode = [&](TmaExtents dims, TmaExtents strides, TmaExtents box, Swizzle swizzle = Swizzle::none) {
    auto map = encode_tensor_map(*context, {.base = memory->address(),
                                            .dtype = DType::bf16,
                                            .dims = dims,
                                            .strides = strides,
                                            .box = box,
                                            .swizzle = swizzle});
    UNSCOPED_INFO((map ? std::string("taken") : map.error().message()));
    return map.ok();
  };
  CHECK(encode({64, 2}, {(int64_t{1} << 40) - 16}, {64, 2}));
  CHECK(encode({64, int64_t{1} << 32}, {128}, {64, 256}, Swizzle::b128));
  CHECK(encode({7}, {}, {8}));
  CHECK(encode({64, 4}, {0}, {64, 4}));  // broadcast by stride 0
  CHECK(encode({64, 4}, {32}, {64, 4})); // rows that overlap
  CHECK(encode({64, 2, 2, 2, 2}, {128, 256, 512, 1024}, {64, 2, 2, 2, 2}, Swizzle::b128));
}

TEST_CASE("shape-02, GPU: a kernel may prefetch the map of an empty tensor, which is all zeros") {
  auto context = gpu();
  if (!context || context->device().arch.major < 9)
    return;
  const std::string ptx = ".version 8.0\n.target sm_90\n.address_size 64\n"
                          ".visible .entry k(.param .align 64 .b8 map[128])\n"
                          "{ .reg .b64 %rd1;\n mov.b64 %rd1, map;\n cvta.param.u64 %rd1, %rd1;\n"
                          " prefetch.tensormap [%rd1];\n ret; }\n";
  KernelManifest manifest;
  manifest.kernel = manifest.entry = "k";
  manifest.arch = "sm_90";
  manifest.dims = {{"n", 1}};
  manifest.globals = {{"x", DType::f32, {"n"}, 0, Access::read, 16, {1}}};
  manifest.tensor_maps = {{"x", {0}, {4}, Swizzle::none, DType::f32}};
  manifest.params = {{ParamKind::tensor_map, "x", 0, DType::s64}};
  manifest.grid = {{"", 2}};
  manifest.block_threads = 32;
  auto kernel = Kernel::load(*context, manifest, std::as_bytes(std::span(ptx)));
  if (!kernel)
    FAIL(kernel.error().message());
  ArgumentList args;
  args.global("x", 0, DType::f32, {0});
  REQUIRE(kernel->launch(args));
  CHECK(context->synchronize());
}

TEST_CASE("GPU: memory that isn't there is refused with what is free (message-03)") {
  auto context = gpu();
  if (!context)
    return;
  auto buffer = DeviceBuffer::allocate(*context, int64_t{1} << 50);
  REQUIRE_FALSE(buffer);
  CHECK(buffer.error().code() == ErrorCode::out_of_memory);
  CHECK(buffer.error().message().find("GiB are free") != std::string::npos);
}

TEST_CASE("GPU: what a bound launch costs beyond the bare call (launch-04, shown, not asserted)") {
  auto context = gpu();
  if (!context)
    return;
  Saxpy saxpy(*context);
  auto bound = saxpy.kernel.bind(saxpy.args);
  REQUIRE(bound);
  const cu::DriverApi &api = context->driver().api();
  (void)api.cuCtxPushCurrent_v2(context->state()->context);
  DevicePtr x = saxpy.x.address(), y = saxpy.y.address();
  int64_t n = kCount;
  float alpha = 2.0f;
  void *params[] = {&x, &y, &n, &alpha};
  cu::CUlaunchConfig config{};
  config.gridDimX = static_cast<unsigned>(bound->blocks());
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.blockDimX = 256;
  config.hStream = saxpy.stream.raw();
  auto median_ns = [&](auto call) {
    std::vector<double> spent;
    for (int round = 0; round < 200; ++round) {
      auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < 50; ++i)
        call();
      spent.push_back(std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / 50);
      REQUIRE(saxpy.stream.synchronize());
    }
    std::nth_element(spent.begin(), spent.begin() + 100, spent.end());
    return spent[100];
  };
  double bare = median_ns([&] { (void)api.cuLaunchKernelEx(&config, saxpy.kernel.function().raw(), params, nullptr); });
  double ours = median_ns([&] { (void)bound->launch({.stream = saxpy.stream, .start = {}}); });
  double again = median_ns([&] {
    (void)bound->update(saxpy.args);
    (void)bound->launch({.stream = saxpy.stream, .start = {}});
  });
  double door = median_ns([&] { (void)saxpy.kernel.launch(saxpy.args, {.stream = saxpy.stream, .start = {}}); });
  WARN("bare " << bare << " ns, bound " << ours << " ns, update + bound " << again << " ns, bind + launch " << door
               << " ns");
  cu::CUcontext popped = nullptr;
  (void)api.cuCtxPopCurrent_v2(&popped);
}

} // namespace
} // namespace tegula
