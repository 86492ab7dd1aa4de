// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel of a few lines, compiled and run on the emulator: vectors in, vectors out.
#pragma once

#include <catch2/catch.hpp>

#include <functional>
#include <span>
#include <vector>

#include "compiler/jit/jit.h"
#include "kernels/check/small_float.h"
#include "runtime/driver/devices.h"
#include "runtime/driver/memory.h"
#include "runtime/driver/stream.h"

namespace tegula::test {

// A value that the test can't go on without.
template <typename T> T need(Result<T> result) {
  INFO((result.ok() ? "" : result.error().message()));
  REQUIRE(result.ok());
  return std::move(*result);
}
inline void need(const Result<void> &result) {
  INFO((result.ok() ? "" : result.error().message()));
  REQUIRE(result.ok());
}

class OnEmulator {
public:
  Context context = need(open_device("emulator:sm_90a"));
  Stream stream = need(Stream::create(context));
  Jit jit{without_disk()};

  Kernel load(const std::function<Result<dsl::Kernel>()> &build, std::string_view name = "case") {
    return need(jit.load(context, {std::string(name), "", "", build}));
  }
  template <typename T> DevicePtr upload(const std::vector<T> &values) {
    buffers_.push_back(need(DeviceBuffer::allocate(context, static_cast<int64_t>(values.size() * sizeof(T) + 256))));
    need(buffers_.back().upload(std::as_bytes(std::span(values))));
    return buffers_.back().address();
  }
  template <typename T> std::vector<T> download(DevicePtr from, size_t count) {
    std::vector<T> values(count);
    for (const DeviceBuffer &buffer : buffers_)
      if (buffer.address() == from)
        need(buffer.download(std::as_writable_bytes(std::span(values))));
    return values;
  }
  void run(const Kernel &kernel, const KernelArgs &args) {
    need(kernel.launch(args, {.stream = stream}));
    need(stream.synchronize());
  }

private:
  static JitOptions without_disk() {
    JitOptions options;
    options.cache_bytes = 0;
    return options;
  }
  std::vector<DeviceBuffer> buffers_;
};

/// 1, 2, 3, ... in f32.
inline std::vector<float> counting(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = static_cast<float>(i + 1);
  return values;
}

inline std::vector<uint16_t> bf16_of(const std::vector<float> &values) {
  std::vector<uint16_t> words;
  for (float value : values)
    words.push_back(float_to_bf16(value));
  return words;
}

} // namespace tegula::test
