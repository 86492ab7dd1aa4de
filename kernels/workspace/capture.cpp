// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asks the driver whether a stream is being captured.
#include "kernels/workspace/capture.h"

#include <fmt/format.h>

namespace tegula {

Result<void> refuse_in_capture(const Context &context, StreamRef stream, std::string_view what) {
  const Driver &driver = context.driver();
  if (!driver.api().cuStreamIsCapturing)
    return {};
  const CurrentContext current(*context.state());
  cu::CUstreamCaptureStatus status = cu::CU_STREAM_CAPTURE_STATUS_NONE;
  TEGULA_CHECK(driver.check(driver.api().cuStreamIsCapturing(stream.raw, &status), "cuStreamIsCapturing"));
  if (status == cu::CU_STREAM_CAPTURE_STATUS_NONE)
    return {};
  return Error(
      ErrorCode::unsupported,
      fmt::format("{}, and the stream is being captured: call prepare() with these extents before the capture", what));
}

} // namespace tegula
