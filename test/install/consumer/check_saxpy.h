// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands for y = alpha * x + y on a device, and whether the result is right.
#pragma once

#include <tegula/runtime.h>

#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

constexpr int64_t kElements = 1000;
constexpr float kAlpha = 2.0f;

inline int status_of(const tegula::Result<void> &result) {
  if (!result)
    std::fprintf(stderr, "%s\n", result.error().describe().c_str());
  return result ? 0 : 1;
}

/// Hands x, y and a stream to `launch`, then compares.
template <class Launch> tegula::Result<void> check_saxpy(const tegula::Context &context, Launch launch) {
  std::vector<float> x(kElements), y(kElements, 1.0f);
  for (int64_t i = 0; i < kElements; ++i)
    x[i] = static_cast<float>(i);
  TEGULA_TRY(tegula::Stream stream, tegula::Stream::create(context));
  TEGULA_TRY(tegula::DeviceBuffer dx, tegula::DeviceBuffer::allocate(context, kElements * 4));
  TEGULA_TRY(tegula::DeviceBuffer dy, tegula::DeviceBuffer::allocate(context, kElements * 4));
  TEGULA_CHECK(dx.upload(std::as_bytes(std::span(x))));
  TEGULA_CHECK(dy.upload(std::as_bytes(std::span(y))));
  TEGULA_CHECK(launch(dx.address(), dy.address(), stream));
  TEGULA_CHECK(stream.synchronize());
  TEGULA_CHECK(dy.download(std::as_writable_bytes(std::span(y))));
  for (int64_t i = 0; i < kElements; ++i)
    if (y[i] != kAlpha * x[i] + 1.0f)
      return tegula::Error(tegula::ErrorCode::internal, "y[" + std::to_string(i) + "] is " + std::to_string(y[i]));
  return {};
}
