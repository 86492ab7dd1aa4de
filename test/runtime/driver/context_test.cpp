// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Primary contexts: what they say of the device, who keeps them, and threads.
#include <thread>

#include "runtime/driver/memory.h"
#include "runtime/driver/stream.h"
#include "test/runtime/fake_driver/open_fake.h"

namespace tegula {
namespace {

TEST_CASE("context: the device describes itself") {
  fake::open_driver();
  Context context = fake::open_context();
  CHECK(context.device().multiprocessors == 132);
  CHECK(context.device().shared_bytes_per_block == 232448);
  CHECK(context.device().clusters);
  CHECK(to_string(context.device()) == "device 0 (Fake H200, sm_90)");
}

TEST_CASE("context: a device that isn't there is refused with the number that there are") {
  Driver driver = fake::open_driver();
  auto context = Context::open(driver, 3);
  REQUIRE_FALSE(context);
  CHECK(context.error().code() == ErrorCode::no_device);
  CHECK(context.error().message() == std::string("no device 3: ") + TEGULA_FAKE_DRIVER + " shows 1 device");
  CHECK_FALSE(Context::open(driver, -1));
}

TEST_CASE("context: what was made from it keeps it alive") {
  fake::open_driver();
  const int before = fake::state().retained;
  {
    auto stream = [] { return Stream::create(fake::open_context()); }();
    REQUIRE(stream);
    CHECK(fake::state().retained == before + 1);
    CHECK(stream->synchronize());
  }
  CHECK(fake::state().retained == before);
}

TEST_CASE("launch-01: a thread that never touched the driver uses handles of another") {
  fake::open_driver();
  Context context = fake::open_context();
  auto buffer = DeviceBuffer::allocate(context, 64);
  REQUIRE(buffer);
  bool worked = false;
  bool left_clean = false;
  std::thread([&] {
    worked = buffer->fill(7).ok() && context.synchronize().ok();
    cu::CUcontext current = nullptr;
    left_clean = context.driver().api().cuCtxGetCurrent(&current) == cu::CUDA_SUCCESS && current == nullptr;
  }).join();
  CHECK(worked);
  CHECK(left_clean);
}

TEST_CASE("context: another context that is current stays so") {
  fake::open_driver();
  fake::state().devices.resize(2);
  Context first = fake::open_context(0);
  Context second = fake::open_context(1);
  const cu::DriverApi &api = first.driver().api();
  REQUIRE(api.cuCtxPushCurrent_v2(second.state()->context) == cu::CUDA_SUCCESS);
  CHECK(first.synchronize());
  cu::CUcontext current = nullptr;
  REQUIRE(api.cuCtxGetCurrent(&current) == cu::CUDA_SUCCESS);
  CHECK(current == second.state()->context);
  (void)api.cuCtxPopCurrent_v2(&current);
}

TEST_CASE("stream, event: create, record, wait, time") {
  fake::open_driver();
  Context context = fake::open_context();
  auto stream = Stream::create(context);
  auto start = Event::create(context);
  auto end = Event::create(context);
  REQUIRE((stream && start && end));
  CHECK_FALSE(*start->done());
  CHECK(start->record(*stream));
  CHECK(*start->done());
  CHECK(stream->wait_for(*start));
  CHECK(end->record(*stream));
  CHECK(*elapsed_ms(*start, *end) == 1.5f);
  CHECK(*stream->idle());
}

} // namespace
} // namespace tegula
