// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Holds handles of every kind in statics that outlive the driver, then ends in the manner that is asked for.
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string_view>

#include <unistd.h>

#include "runtime/driver/graph.h"
#include "runtime/launch/kernel.h"
#include "test/runtime/fake_driver/fake_driver.h"
#include "test/runtime/launch/gemm_manifest.h"

using namespace tegula;

namespace {

struct Held {
  Context context;
  Kernel kernel;
  Stream stream;
  Event event;
  DeviceBuffer buffer;
  PinnedBuffer pinned;
  Graph graph;
};

// Constructed before the driver is opened, hence destroyed after it has gone.
std::optional<Held> early;

Result<Held> make() {
  TEGULA_TRY(Driver driver, Driver::open({.library = TEGULA_FAKE_DRIVER, .emulator_devices = {}}));
  TEGULA_TRY(Context context, Context::open(driver));
  TEGULA_TRY(Kernel kernel, Kernel::load(context, gemm_manifest(), std::as_bytes(std::span(kGemmPtx))));
  TEGULA_TRY(Stream stream, Stream::create(context));
  TEGULA_TRY(Event event, Event::create(context));
  TEGULA_TRY(DeviceBuffer buffer, DeviceBuffer::allocate(context, 64));
  TEGULA_TRY(PinnedBuffer pinned, PinnedBuffer::allocate(context, 64));
  TEGULA_TRY(Graph graph, Graph::capture(stream, [] { return Result<void>(); }));
  return Held{std::move(context), std::move(kernel), std::move(stream), std::move(event),
              std::move(buffer),  std::move(pinned), std::move(graph)};
}

} // namespace

int main(int, char **argv) {
  const std::string_view end = argv[1];
  auto first = make();
  if (!first)
    return 1;
  early = std::move(*first);
  // Complete after the driver was initialised, hence destroyed before it goes.
  static Result<Held> late = make();
  if (!late)
    return 2;
  if (end == "exit")
    std::exit(42);
  if (end == "quick_exit")
    _exit(42);
  if (end == "reset")
    fake::state().fail = {{"cuModuleUnload", cu::CUDA_ERROR_CONTEXT_IS_DESTROYED},
                          {"cuStreamDestroy_v2", cu::CUDA_ERROR_CONTEXT_IS_DESTROYED},
                          {"cuMemFree_v2", cu::CUDA_ERROR_CONTEXT_IS_DESTROYED},
                          {"cuCtxPushCurrent_v2", cu::CUDA_ERROR_CONTEXT_IS_DESTROYED},
                          {"cuDevicePrimaryCtxRelease_v2", cu::CUDA_ERROR_INVALID_CONTEXT}};
  if (end == "exception") {
    try {
      Held on_the_stack = std::move(*make());
      throw std::runtime_error("of the host");
    } catch (const std::runtime_error &) {
      std::exit(42);
    }
  }
  return 42;
}
