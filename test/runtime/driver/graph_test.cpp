// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Captures: what spoils them, what doesn't, and that the stream is usable afterwards.
#include <optional>
#include <thread>

#include "runtime/driver/graph.h"
#include "runtime/driver/memory.h"
#include "runtime/driver/module.h"
#include "test/runtime/fake_driver/open_fake.h"

namespace tegula {
namespace {

constexpr std::string_view kPtx = ".version 8.0\n.target sm_90\n.entry k(.param .u64 a) { ret; }\n";

TEST_CASE("graph: an empty capture instantiates, updates and launches") {
  fake::open_driver();
  Context context = fake::open_context();
  auto stream = Stream::create(context);
  auto graph = Graph::capture(*stream, [] { return Result<void>(); });
  REQUIRE(graph);
  CHECK(*graph->node_count() == 0);
  auto executable = graph->instantiate();
  REQUIRE(executable);
  CHECK(executable->update(*graph));
  CHECK(executable->launch(*stream));
  CHECK_FALSE(*stream->capturing());
}

TEST_CASE("graph: when the work fails its error is returned and the stream is usable again") {
  fake::open_driver();
  Context context = fake::open_context();
  auto stream = Stream::create(context);
  auto graph = Graph::capture(*stream, [] { return Result<void>(Error(ErrorCode::bad_argument, "A is null")); });
  REQUIRE_FALSE(graph);
  CHECK(graph.error().message() == "A is null");
  CHECK_FALSE(*stream->capturing());
  CHECK(Graph::capture(*stream, [] { return Result<void>(); }));
}

TEST_CASE("launch-03: loading a module leaves captures of both modes valid") {
  fake::open_driver();
  Context context = fake::open_context();
  auto stream = Stream::create(context);
  for (CaptureMode mode : {CaptureMode::thread_local_, CaptureMode::global}) {
    auto graph = Graph::capture(
        *stream,
        [&] {
          return Module::load(context, fake::bytes_of(kPtx)) ? Result<void>() : Error(ErrorCode::internal, "load");
        },
        mode);
    CHECK(graph);
  }
}

TEST_CASE("launch-03: loading in another thread leaves a global capture valid") {
  fake::open_driver();
  Context context = fake::open_context();
  auto stream = Stream::create(context);
  auto graph = Graph::capture(
      *stream,
      [&] {
        bool loaded = false;
        std::thread([&] { loaded = Module::load(context, fake::bytes_of(kPtx)).ok(); }).join();
        return loaded ? Result<void>() : Error(ErrorCode::internal, "load");
      },
      CaptureMode::global);
  CHECK(graph);
}

TEST_CASE("launch-03: buffers and modules that go meanwhile leave a global capture valid") {
  fake::open_driver();
  Context context = fake::open_context();
  auto stream = Stream::create(context);
  auto buffer = std::make_optional(std::move(*DeviceBuffer::allocate(context, 16)));
  auto module = std::make_optional(std::move(*Module::load(context, fake::bytes_of(kPtx))));
  CHECK(Graph::capture(
      *stream,
      [&] {
        buffer.reset();
        module.reset();
        return Result<void>();
      },
      CaptureMode::global));
}

TEST_CASE("graph: a call that the driver forbids in captures is an error, and the stream is usable again") {
  fake::open_driver();
  Context context = fake::open_context();
  auto stream = Stream::create(context);
  auto graph = Graph::capture(*stream, [&] {
    (void)DeviceBuffer::allocate(context, 16);
    return Result<void>();
  });
  REQUIRE_FALSE(graph);
  CHECK(graph.error().message() == "cuStreamEndCapture: CUDA_ERROR_STREAM_CAPTURE_INVALIDATED (a fault)");
  CHECK(Graph::capture(*stream, [] { return Result<void>(); }));
}

} // namespace
} // namespace tegula
