// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The call on a device (the emulator, so that it runs everywhere): captures, streams, compiles counted.
#include <catch2/catch.hpp>

#include <filesystem>
#include <unistd.h>

#include "kernels/check/device_image.h"
#include "kernels/gemm/check/gemm_reference.h"
#include "kernels/gemm/gemm.h"
#include "runtime/driver/devices.h"
#include "runtime/driver/graph.h"
#include "test/kernels/cases/on_emulator.h"

using namespace tegula;
using tegula::test::need;

namespace {

JitOptions cache_options() {
  JitOptions options;
  options.cache_directory = (std::filesystem::temp_directory_path() / "tegula-gemm-device-test").string();
  return options;
}

struct Device {
  Context context = need(open_device("emulator:sm_90a"));
  Stream stream = need(Stream::create(context));
  Jit jit{cache_options()};
};

// A product's operands on the device and their images.
struct OnDevice {
  OnDevice(const Context &context, const GemmCase &which)
      : test(which), images(make_images(test)), a(need(DeviceImage::upload(context, images.a))),
        b(need(DeviceImage::upload(context, images.b))), d(need(DeviceImage::upload(context, images.d))) {}

  [[nodiscard]] GemmArgs call() const { return call_of(test, {.a = a.address(), .b = b.address(), .d = d.address()}); }
  [[nodiscard]] std::string fault() {
    need(d.download(images.d));
    return verify_gemm(test, images).fault;
  }

  GemmCase test;
  GemmImages images;
  DeviceImage a, b, d;
};

const GemmCase kSplit{.m = 64, .n = 72, .k = 1024, .schedule = {}};

GemmOptions in_parts() {
  return {.schedule = GemmSchedule{.m = 64, .n = 64, .math = 1, .cluster = 1, .raster = 8, .split_k = 4}};
}

} // namespace

TEST_CASE("launch-03 a first use in a capture asks to prepare and leaves the capture usable") {
  Device device;
  Gemm gemm(device.context, device.jit, in_parts());
  OnDevice product(device.context, kSplit);
  std::string refusal;
  const auto nothing = Graph::capture(device.stream, [&]() -> Result<void> {
    const Result<void> refused = gemm.run(product.call(), device.stream);
    refusal = refused.ok() ? "" : refused.error().message();
    return {};
  });
  CHECK(nothing.ok());
  CHECK(refusal ==
        "no gemm of 64x72x1024 is prepared, and the stream is being captured: call prepare() with these extents "
        "before the capture");

  need(gemm.prepare(product.call(), device.stream));
  const Graph graph = need(Graph::capture(device.stream, [&] { return gemm.run(product.call(), device.stream); }));
  const GraphExec replay = need(graph.instantiate());
  for (int i = 0; i < 2; ++i) {
    need(product.d.refill(make_images(product.test).d));
    need(replay.launch(device.stream));
    need(device.stream.synchronize());
    CHECK(product.fault().empty());
  }
}

TEST_CASE("launch-05 launch-06 extents of one class share one compile; a repeated call compiles nothing") {
  Device device;
  Gemm gemm(device.context, device.jit, {.schedule = GemmSchedule{.m = 64, .n = 64, .math = 1, .cluster = 1}});
  for (int64_t n : {8, 16, 32, 264}) {
    OnDevice product(device.context, {.m = 40, .n = n, .k = 64});
    for (int i = 0; i < 3; ++i)
      need(gemm.run(product.call(), device.stream));
    need(device.stream.synchronize());
    CHECK(product.fault().empty());
  }
  const JitCounts counts = device.jit.counts();
  CHECK(counts.compiles + counts.disk_hits == 1);
  CHECK(counts.memory_hits == 3); // one look a shape, none a call
}

TEST_CASE("launch-10 a split product on two streams: each has its own sums") {
  Device device;
  const Stream other = need(Stream::create(device.context));
  Gemm gemm(device.context, device.jit, in_parts());
  OnDevice first(device.context, kSplit), second(device.context, {.m = 64, .n = 72, .k = 1024, .seed = 5});
  for (int i = 0; i < 5; ++i) {
    need(gemm.run(first.call(), device.stream));
    need(gemm.run(second.call(), other));
  }
  need(device.stream.synchronize());
  need(other.synchronize());
  CHECK(first.fault().empty());
  CHECK(second.fault().empty());
}

TEST_CASE("a workspace that is too small is refused with both sizes") {
  Device device;
  Gemm gemm(device.context, device.jit, in_parts());
  OnDevice product(device.context, kSplit);
  const int64_t needed = need(gemm.workspace_bytes(product.call()));
  CHECK(needed == 4 * 64 * 96 * 4); // four parts of 64 rows of 72 f32, padded to whole lines
  const Result<void> refused = gemm.run(product.call(), device.stream, {.address = 4096, .bytes = 100});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message() ==
        "the workspace is 100 bytes at 0x1000; this gemm needs 98304 bytes, at a multiple of 256");
}

TEST_CASE("shape-09 a bad call is refused by the call itself, with everything that is wrong") {
  Device device;
  Gemm gemm(device.context, device.jit);
  const Result<void> refused = gemm.run({.m = -1, .n = 4, .k = 4}, device.stream);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message() == "cannot run gemm: m is -1; it must be at least 0");
}
