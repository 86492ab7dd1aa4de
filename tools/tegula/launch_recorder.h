// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Takes down one launch as it reaches the driver, so that the bare call can be repeated with the same arguments.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "kernels/registry/registry.h"

namespace tegula {

struct RecordedLaunch {
  cu::CUfunction function = nullptr;
  cu::CUlaunchConfig config = {};
  std::vector<cu::CUlaunchAttribute> attributes = {};
  /// A parameter each, in 128 bytes: the driver reads as many as the entry point takes.
  struct alignas(64) Slot {
    std::array<std::byte, 128> bytes;
  };
  std::vector<Slot> slots = {};

  [[nodiscard]] Result<void> launch(const Session &session) const;
};

/// Runs `work`, which launches once, and returns that launch. The driver's table is changed meanwhile: nothing else may
/// use it. \errors internal: it launched no kernel; and those of `work`.
[[nodiscard]] Result<RecordedLaunch> record_launch(Session &session, const std::function<Result<void>()> &work);

} // namespace tegula
