// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds a stream's piece, or allocates a larger one.
#include "kernels/workspace/stream_workspaces.h"

#include <fmt/format.h>

#include "kernels/workspace/capture.h"

namespace tegula {

Result<DevicePtr> StreamWorkspaces::acquire(const Context &context, StreamRef stream, int64_t bytes) {
  if (bytes == 0)
    return DevicePtr{0};
  const auto found = pieces_.find(stream.raw);
  if (found != pieces_.end() && found->second.size_bytes() >= bytes)
    return found->second.address();
  TEGULA_CHECK(refuse_in_capture(context, stream, fmt::format("the stream has no workspace of {} bytes yet", bytes)));
  TEGULA_TRY(DeviceBuffer buffer, DeviceBuffer::allocate(context, bytes));
  const DevicePtr address = buffer.address();
  if (found == pieces_.end()) {
    pieces_.emplace(stream.raw, std::move(buffer));
  } else {
    outgrown_.push_back(std::move(found->second));
    found->second = std::move(buffer);
  }
  return address;
}

} // namespace tegula
