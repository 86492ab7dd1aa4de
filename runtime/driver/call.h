// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls an entry of the driver's table in the right context and names it when it fails. For the runtime's own files.
#pragma once

#include <string_view>

#include "runtime/driver/context.h"

namespace tegula {

/// Loading and freeing are forbidden while a stream is captured (in global mode: by any thread) and would spoil the
/// capture. While this lives, the calling thread is exempt.
class RelaxedCapture {
public:
  explicit RelaxedCapture(const cu::DriverApi &api) : exchange_(api.cuThreadExchangeStreamCaptureMode) {
    if (exchange_)
      exchanged_ = exchange_(&mode_) == cu::CUDA_SUCCESS;
  }
  ~RelaxedCapture() {
    if (exchanged_)
      (void)exchange_(&mode_);
  }
  RelaxedCapture(const RelaxedCapture &) = delete;
  RelaxedCapture &operator=(const RelaxedCapture &) = delete;

private:
  cu::CUresult (*exchange_)(cu::CUstreamCaptureMode *);
  cu::CUstreamCaptureMode mode_ = cu::CU_STREAM_CAPTURE_MODE_RELAXED;
  bool exchanged_ = false;
};

/// \errors unsupported when this driver lacks the entry; else the driver's own.
template <typename... Params, typename... Args>
[[nodiscard]] Result<void> call_driver(const ContextState &context, cu::CUresult (*entry)(Params...),
                                       std::string_view name, std::source_location where, Args... args) {
  if (!entry)
    return Error(ErrorCode::unsupported, "the driver " + context.driver.library() + " has no " + std::string(name),
                 where);
  CurrentContext current(context);
  if (current.status() != cu::CUDA_SUCCESS)
    return context.driver.error(current.status(), "cuCtxPushCurrent_v2", where);
  return context.driver.check(entry(args...), name, where);
}

} // namespace tegula

/// TEGULA_CALL(*context, cuMemAlloc_v2, &address, bytes): a Result<void>.
#define TEGULA_CALL(context, entry, ...)                                                                               \
  ::tegula::call_driver((context), (context).driver.api().entry, #entry,                                               \
                        std::source_location::current() __VA_OPT__(, ) __VA_ARGS__)

/// For destructors: nobody can act on a failure there, and none matters once the process or the context is going.
#define TEGULA_CALL_TO_FREE(context, entry, ...)                                                                       \
  do {                                                                                                                 \
    if (!::tegula::process_is_exiting()) {                                                                             \
      ::tegula::RelaxedCapture tegula_relaxed((context).driver.api());                                                 \
      (void)TEGULA_CALL(context, entry, __VA_ARGS__);                                                                  \
    }                                                                                                                  \
  } while (false)
