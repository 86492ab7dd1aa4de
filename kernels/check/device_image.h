// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A guarded image on the device.
#pragma once

#include "kernels/check/guarded_image.h"
#include "runtime/driver/memory.h"

namespace tegula {

class DeviceImage {
public:
  /// Allocates and uploads all of the image, guards too.
  [[nodiscard]] static Result<DeviceImage> upload(const Context &context, const GuardedImage &image) {
    TEGULA_TRY(DeviceBuffer buffer, DeviceBuffer::allocate(context, static_cast<int64_t>(image.bytes().size())));
    TEGULA_CHECK(buffer.upload(image.bytes()));
    return DeviceImage(std::move(buffer), image.origin());
  }

  /// Of the first element.
  [[nodiscard]] DevicePtr address() const { return buffer_.address() + static_cast<DevicePtr>(origin_); }
  /// Puts the image's bytes back.
  [[nodiscard]] Result<void> refill(const GuardedImage &image) { return buffer_.upload(image.bytes()); }
  [[nodiscard]] Result<void> download(GuardedImage &image) const { return buffer_.download(image.bytes()); }

private:
  DeviceImage(DeviceBuffer buffer, int64_t origin) : buffer_(std::move(buffer)), origin_(origin) {}

  DeviceBuffer buffer_;
  int64_t origin_;
};

} // namespace tegula
