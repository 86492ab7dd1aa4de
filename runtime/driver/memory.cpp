// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Allocation, copies and fills, with the sizes in the messages.
#include "runtime/driver/memory.h"

#include <fmt/format.h>

#include "runtime/driver/call.h"

namespace tegula {

using namespace cu;

namespace {

std::string gibibytes(size_t count) { return fmt::format("{:.1f} GiB", static_cast<double>(count) / (1 << 30)); }

Error out_of_memory(const ContextState &context, int64_t size_bytes) {
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  CurrentContext current(context);
  std::string room;
  if (context.driver.api().cuMemGetInfo_v2 &&
      context.driver.api().cuMemGetInfo_v2(&free_bytes, &total_bytes) == CUDA_SUCCESS)
    room = fmt::format(": {} of {} are free", gibibytes(free_bytes), gibibytes(total_bytes));
  return Error(ErrorCode::out_of_memory,
               fmt::format("cannot allocate {} bytes on {}{}", size_bytes, to_string(context.info), room));
}

Result<void> check_size(int64_t size_bytes) {
  if (size_bytes < 0)
    return Error(ErrorCode::bad_argument,
                 fmt::format("cannot allocate {} bytes; a size must be at least 0", size_bytes));
  return {};
}

} // namespace

Result<DeviceBuffer> DeviceBuffer::allocate(const Context &context, int64_t size_bytes) {
  TEGULA_CHECK(check_size(size_bytes));
  DevicePtr address = 0;
  if (size_bytes > 0) {
    auto allocated = TEGULA_CALL(*context.state(), cuMemAlloc_v2, &address, static_cast<size_t>(size_bytes));
    if (!allocated && allocated.error().code() == ErrorCode::out_of_memory)
      return out_of_memory(*context.state(), size_bytes);
    TEGULA_CHECK(std::move(allocated));
  }
  return DeviceBuffer(context.state(), address, size_bytes);
}

DeviceBuffer::~DeviceBuffer() {
  if (address_)
    TEGULA_CALL_TO_FREE(*context_, cuMemFree_v2, address_);
}

Result<void> DeviceBuffer::check_range(const char *what, int64_t offset, int64_t length) const {
  if (offset < 0 || offset > size_bytes_ || length > size_bytes_ - offset)
    return Error(ErrorCode::bad_argument, fmt::format("cannot {} {} bytes at offset {}: the buffer has {} bytes", what,
                                                      length, offset, size_bytes_));
  return {};
}

Result<void> DeviceBuffer::finish(const CopyOptions &options) const {
  if (options.stream)
    return {};
  return TEGULA_CALL(*context_, cuStreamSynchronize, static_cast<CUstream>(nullptr));
}

Result<void> DeviceBuffer::upload(std::span<const std::byte> from, const CopyOptions &options) {
  TEGULA_CHECK(check_range("upload", options.offset_bytes, static_cast<int64_t>(from.size())));
  if (from.empty())
    return {};
  TEGULA_CHECK(TEGULA_CALL(*context_, cuMemcpyHtoDAsync_v2, address_ + static_cast<DevicePtr>(options.offset_bytes),
                           from.data(), from.size(), options.stream.value_or(StreamRef()).raw));
  return finish(options);
}

Result<void> DeviceBuffer::download(std::span<std::byte> to, const CopyOptions &options) const {
  TEGULA_CHECK(check_range("download", options.offset_bytes, static_cast<int64_t>(to.size())));
  if (to.empty())
    return {};
  TEGULA_CHECK(TEGULA_CALL(*context_, cuMemcpyDtoHAsync_v2, to.data(),
                           address_ + static_cast<DevicePtr>(options.offset_bytes), to.size(),
                           options.stream.value_or(StreamRef()).raw));
  return finish(options);
}

Result<void> DeviceBuffer::fill(uint8_t value, const CopyOptions &options) {
  TEGULA_CHECK(check_range("fill", options.offset_bytes, 0));
  if (options.offset_bytes == size_bytes_)
    return {};
  TEGULA_CHECK(TEGULA_CALL(*context_, cuMemsetD8Async, address_ + static_cast<DevicePtr>(options.offset_bytes), value,
                           static_cast<size_t>(size_bytes_ - options.offset_bytes),
                           options.stream.value_or(StreamRef()).raw));
  return finish(options);
}

Result<PinnedBuffer> PinnedBuffer::allocate(const Context &context, int64_t size_bytes) {
  TEGULA_CHECK(check_size(size_bytes));
  void *address = nullptr;
  if (size_bytes > 0)
    TEGULA_CHECK(TEGULA_CALL(*context.state(), cuMemHostAlloc, &address, static_cast<size_t>(size_bytes),
                             kMemHostAllocPortable));
  return PinnedBuffer(context.state(), {static_cast<std::byte *>(address), static_cast<size_t>(size_bytes)});
}

PinnedBuffer::~PinnedBuffer() {
  if (bytes_.data())
    TEGULA_CALL_TO_FREE(*context_, cuMemFreeHost, static_cast<void *>(bytes_.data()));
}

} // namespace tegula
