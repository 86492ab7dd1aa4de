// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Global memory: device addresses are host addresses inside one reserved range, so that a load is a load; every
// allocation is known, so that an access outside all of them is found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>

namespace tegula::emulator {

struct Allocation {
  uint64_t base = 0, bytes = 0;
  bool live = true;
  bool read_only = false;
  bool host = false; // allocated by the host's allocator, or registered
  std::string name;  // "variable 'x'", "buffer 3"
};

class GlobalMemory {
public:
  GlobalMemory();
  ~GlobalMemory();
  GlobalMemory(const GlobalMemory &) = delete;
  GlobalMemory &operator=(const GlobalMemory &) = delete;

  /// Address of `bytes` fresh bytes, 0 when there is no room. They read as zeros until they are written.
  uint64_t allocate(uint64_t bytes, uint64_t align, std::string name);
  /// False if no live allocation begins there.
  bool release(uint64_t base);
  /// Memory of the host that kernels may use too.
  void adopt_host(uint64_t base, uint64_t bytes);
  bool drop_host(uint64_t base);
  void set_read_only(uint64_t base);

  /// The allocation that holds the address, live or freed.
  [[nodiscard]] std::optional<Allocation> find(uint64_t address) const;
  /// True when [address, address + bytes) lies inside one live allocation.
  [[nodiscard]] bool valid(uint64_t address, uint64_t bytes) const;
  /// The address in words: "byte 16 of buffer 2 (64 bytes)".
  [[nodiscard]] std::string describe(uint64_t address) const;
  [[nodiscard]] uint64_t used() const { return used_; }
  [[nodiscard]] uint64_t capacity() const { return capacity_; }
  [[nodiscard]] bool owns(uint64_t address) const { return address >= arena_ && address - arena_ < reserved_; }

private:
  mutable std::shared_mutex mutex_;
  std::map<uint64_t, Allocation> allocations_; // by base
  uint64_t arena_ = 0, reserved_ = 0, next_ = 0, used_ = 0;
  uint64_t capacity_ = uint64_t{139} << 30;
  uint64_t count_ = 0;
};

} // namespace tegula::emulator
