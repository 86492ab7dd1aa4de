// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams and events by the driver's table.
#include "runtime/driver/stream.h"

#include "runtime/driver/call.h"

namespace tegula {

using namespace cu;

Result<Stream> Stream::create(const Context &context, const StreamOptions &options) {
  const unsigned flags = options.with_default_stream == StreamOptions::WithDefaultStream::independent
                             ? CU_STREAM_NON_BLOCKING
                             : CU_STREAM_DEFAULT;
  CUstream raw = nullptr;
  TEGULA_CHECK(TEGULA_CALL(*context.state(), cuStreamCreateWithPriority, &raw, flags, options.priority));
  return Stream(context.state(), raw);
}

Stream::~Stream() {
  if (raw_)
    TEGULA_CALL_TO_FREE(*context_, cuStreamDestroy_v2, raw_);
}

Result<void> Stream::synchronize() const { return TEGULA_CALL(*context_, cuStreamSynchronize, raw_); }

Result<bool> Stream::idle() const {
  CurrentContext current(*context_);
  CUresult status = context_->driver.api().cuStreamQuery(raw_);
  if (status == CUDA_ERROR_NOT_READY)
    return false;
  TEGULA_CHECK(context_->driver.check(status, "cuStreamQuery"));
  return true;
}

Result<void> Stream::wait_for(const Event &event) const {
  return TEGULA_CALL(*context_, cuStreamWaitEvent, raw_, event.raw(), 0);
}

Result<bool> Stream::capturing() const {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  TEGULA_CHECK(TEGULA_CALL(*context_, cuStreamIsCapturing, raw_, &status));
  return status != CU_STREAM_CAPTURE_STATUS_NONE;
}

Result<Event> Event::create(const Context &context, Timing timing) {
  CUevent raw = nullptr;
  const unsigned flags = timing == Timing::enabled ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING;
  TEGULA_CHECK(TEGULA_CALL(*context.state(), cuEventCreate, &raw, flags));
  return Event(context.state(), raw);
}

Event::~Event() {
  if (raw_)
    TEGULA_CALL_TO_FREE(*context_, cuEventDestroy_v2, raw_);
}

Result<void> Event::record(StreamRef stream) const { return TEGULA_CALL(*context_, cuEventRecord, raw_, stream.raw); }
Result<void> Event::synchronize() const { return TEGULA_CALL(*context_, cuEventSynchronize, raw_); }

Result<bool> Event::done() const {
  CurrentContext current(*context_);
  CUresult status = context_->driver.api().cuEventQuery(raw_);
  if (status == CUDA_ERROR_NOT_READY)
    return false;
  TEGULA_CHECK(context_->driver.check(status, "cuEventQuery"));
  return true;
}

Result<float> elapsed_ms(const Event &start, const Event &end) {
  float milliseconds = 0;
  TEGULA_CHECK(TEGULA_CALL(*start.context_, cuEventElapsedTime, &milliseconds, start.raw_, end.raw_));
  return milliseconds;
}

} // namespace tegula
