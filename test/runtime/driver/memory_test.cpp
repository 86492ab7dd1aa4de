// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers: copies, ranges and the messages when memory is short.
#include <array>

#include "runtime/driver/memory.h"
#include "test/runtime/fake_driver/open_fake.h"

namespace tegula {
namespace {

TEST_CASE("memory: what is uploaded is downloaded, fills respect the offset") {
  fake::open_driver();
  Context context = fake::open_context();
  auto buffer = DeviceBuffer::allocate(context, 8);
  REQUIRE(buffer);
  std::array<unsigned char, 8> in = {1, 2, 3, 4, 5, 6, 7, 8};
  std::array<unsigned char, 8> out = {};
  CHECK(buffer->upload(std::as_bytes(std::span(in))));
  CHECK(buffer->fill(9, {.offset_bytes = 6, .stream = {}}));
  CHECK(buffer->download(std::as_writable_bytes(std::span(out))));
  CHECK(out == std::array<unsigned char, 8>{1, 2, 3, 4, 5, 6, 9, 9});
}

TEST_CASE("memory: a range beyond the buffer is refused with its numbers") {
  fake::open_driver();
  Context context = fake::open_context();
  auto buffer = DeviceBuffer::allocate(context, 8);
  std::array<std::byte, 5> five{};
  auto refused = buffer->upload(five, {.offset_bytes = 4, .stream = {}});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message() == "cannot upload 5 bytes at offset 4: the buffer has 8 bytes");
  CHECK_FALSE(buffer->download(five, {.offset_bytes = -1, .stream = {}}));
}

TEST_CASE("message-03: an allocation that fails says how much was asked for and is free") {
  fake::open_driver();
  Context context = fake::open_context();
  fake::state().memory_limit = 1 << 28;
  auto buffer = DeviceBuffer::allocate(context, int64_t{1} << 29);
  REQUIRE_FALSE(buffer);
  CHECK(buffer.error().code() == ErrorCode::out_of_memory);
  CHECK(buffer.error().message() ==
        "cannot allocate 536870912 bytes on device 0 (Fake H200, sm_90): 0.2 GiB of 1.0 GiB are free");
}

TEST_CASE("memory: 0 bytes are a null buffer, a negative size is refused") {
  fake::open_driver();
  Context context = fake::open_context();
  auto empty = DeviceBuffer::allocate(context, 0);
  REQUIRE(empty);
  CHECK(empty->address() == 0);
  CHECK(empty->fill(1));
  CHECK(DeviceBuffer::allocate(context, -4).error().message() == "cannot allocate -4 bytes; a size must be at least 0");
}

TEST_CASE("memory: buffers give back what they took, also after a move") {
  fake::open_driver();
  Context context = fake::open_context();
  const int before = fake::state().live_buffers;
  {
    auto first = DeviceBuffer::allocate(context, 16);
    auto pinned = PinnedBuffer::allocate(context, 16);
    REQUIRE((first && pinned));
    DeviceBuffer second = std::move(*first);
    second = std::move(*DeviceBuffer::allocate(context, 32));
    CHECK(pinned->bytes().size() == 16);
  }
  CHECK(fake::state().live_buffers == before);
}

} // namespace
} // namespace tegula
