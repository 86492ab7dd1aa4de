// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that the kernels of one call pass between them, one piece a stream.
#pragma once

#include <unordered_map>
#include <vector>

#include "runtime/driver/context.h"
#include "runtime/driver/memory.h"
#include "runtime/driver/stream.h"

namespace tegula {

/// Calls on different streams do not meet in it, and it grows as calls ask for more. A captured graph uses the piece of the
/// stream that it was captured on; what a graph may hold is freed with the object.
class StreamWorkspaces {
public:
  /// At least so many bytes; 0 bytes are at address 0.
  /// \errors unsupported, in a capture, where the stream has too little; those of allocating.
  [[nodiscard]] Result<DevicePtr> acquire(const Context &context, StreamRef stream, int64_t bytes);

private:
  std::unordered_map<cu::CUstream, DeviceBuffer> pieces_;
  std::vector<DeviceBuffer> outgrown_;
};

} // namespace tegula
