// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of the device and page-locked memory of the host, as move-only buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "runtime/driver/context.h"
#include "runtime/driver/stream.h"

namespace tegula {

/// An address on a device.
using DevicePtr = cu::CUdeviceptr;

[[nodiscard]] inline DevicePtr device_ptr(const void *address) { return reinterpret_cast<DevicePtr>(address); }

struct CopyOptions {
  int64_t offset_bytes = 0; ///< in the device's buffer
  /// Given: the copy is put into the stream and the host memory must stay until it has run. Else the call waits.
  std::optional<StreamRef> stream;
};

class DeviceBuffer {
public:
  /// 0 bytes give a buffer with a null address.
  /// \errors bad_argument when negative; out_of_memory, with what was asked for and what is free.
  [[nodiscard]] static Result<DeviceBuffer> allocate(const Context &context, int64_t size_bytes);

  DeviceBuffer(DeviceBuffer &&other) noexcept
      : context_(std::move(other.context_)), address_(std::exchange(other.address_, 0)),
        size_bytes_(std::exchange(other.size_bytes_, 0)) {}
  DeviceBuffer &operator=(DeviceBuffer &&other) noexcept {
    std::swap(context_, other.context_);
    std::swap(address_, other.address_);
    std::swap(size_bytes_, other.size_bytes_);
    return *this;
  }
  ~DeviceBuffer();

  [[nodiscard]] DevicePtr address() const { return address_; }
  [[nodiscard]] int64_t size_bytes() const { return size_bytes_; }

  /// \errors bad_argument when the range reaches beyond the buffer; nothing is copied then.
  [[nodiscard]] Result<void> upload(std::span<const std::byte> from, const CopyOptions &options = {});
  [[nodiscard]] Result<void> download(std::span<std::byte> to, const CopyOptions &options = {}) const;
  /// Sets every byte from the offset on.
  [[nodiscard]] Result<void> fill(uint8_t value, const CopyOptions &options = {});

private:
  DeviceBuffer(std::shared_ptr<const ContextState> context, DevicePtr address, int64_t size_bytes)
      : context_(std::move(context)), address_(address), size_bytes_(size_bytes) {}
  [[nodiscard]] Result<void> check_range(const char *what, int64_t offset, int64_t length) const;
  [[nodiscard]] Result<void> finish(const CopyOptions &options) const;

  std::shared_ptr<const ContextState> context_;
  DevicePtr address_ = 0;
  int64_t size_bytes_ = 0;
};

/// Page-locked host memory: copies from and to it run beside the host's work.
class PinnedBuffer {
public:
  [[nodiscard]] static Result<PinnedBuffer> allocate(const Context &context, int64_t size_bytes);

  PinnedBuffer(PinnedBuffer &&other) noexcept
      : context_(std::move(other.context_)), bytes_(std::exchange(other.bytes_, {})) {}
  PinnedBuffer &operator=(PinnedBuffer &&other) noexcept {
    std::swap(context_, other.context_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~PinnedBuffer();

  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }

private:
  PinnedBuffer(std::shared_ptr<const ContextState> context, std::span<std::byte> bytes)
      : context_(std::move(context)), bytes_(bytes) {}

  std::shared_ptr<const ContextState> context_;
  std::span<std::byte> bytes_;
};

} // namespace tegula
