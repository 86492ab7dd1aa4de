// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Remembers who wrote each 8 bytes of shared memory through the generic proxy and whether a proxy fence came after, by
// the writer or by the one who reads through the async proxy.
#pragma once

#include <cstdint>
#include <vector>

namespace tegula::emulator {

class ProxyShadow {
public:
  void enable(uint32_t bytes, uint32_t threads) {
    stamp_.assign(bytes / 8 + 1, 0);
    writer_.assign(bytes / 8 + 1, 0);
    line_.assign(bytes / 8 + 1, 0);
    fence_.assign(threads, 0);
  }
  [[nodiscard]] bool on() const { return !stamp_.empty(); }

  void wrote(uint32_t offset, uint32_t bytes, uint32_t thread, uint32_t line) {
    lo_ = offset < lo_ ? offset : lo_;
    hi_ = offset + bytes > hi_ ? offset + bytes : hi_;
    for (uint32_t i = offset / 8; i <= (offset + bytes - 1) / 8 && i < stamp_.size(); ++i) {
      stamp_[i] = clock_;
      writer_[i] = static_cast<uint16_t>(thread);
      line_[i] = line;
    }
  }
  /// The async proxy has overwritten it: what the generic proxy wrote is gone.
  void overwritten(uint32_t offset, uint32_t bytes) {
    for (uint32_t i = offset / 8; i <= (offset + bytes - 1) / 8 && i < stamp_.size(); ++i)
      stamp_[i] = 0;
  }
  void fenced(uint32_t thread) { fence_[thread] = ++clock_; }

  /// False if nothing in the range was ever written through the generic proxy.
  [[nodiscard]] bool may_miss(uint32_t offset, uint32_t bytes) const { return offset < hi_ && offset + bytes > lo_; }

  struct Miss {
    bool found = false;
    uint32_t offset = 0, thread = 0, line = 0;
  };
  /// The first 8 bytes of the range that `reader` may not see yet.
  [[nodiscard]] Miss read(uint32_t offset, uint32_t bytes, uint64_t reader_fence) const {
    if (!may_miss(offset, bytes))
      return {};
    for (uint32_t i = offset / 8; i <= (offset + bytes - 1) / 8 && i < stamp_.size(); ++i)
      if (stamp_[i] && stamp_[i] >= fence_[writer_[i]] && stamp_[i] >= reader_fence)
        return {true, i * 8, writer_[i], line_[i]};
    return {};
  }
  [[nodiscard]] uint64_t fence_of(uint32_t thread) const { return fence_[thread]; }

private:
  uint64_t clock_ = 1;
  uint32_t lo_ = UINT32_MAX, hi_ = 0;   // bounds of all generic writes
  std::vector<uint64_t> stamp_, fence_; // the clock at the last write; at a thread's last fence
  std::vector<uint16_t> writer_;
  std::vector<uint32_t> line_;
};

} // namespace tegula::emulator
